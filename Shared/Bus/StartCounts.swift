import ServiceKit
import Store
import Synchronization

/// Counts how often one worker started its messages, to find those that crash processes.
///
/// Nothing is counted for partitions whose last owner shut down cleanly, so their messages cost nothing extra. After an
/// owner that crashed, starts are counted for a while: the message that caused the crash is redelivered soon, since all
/// earlier messages are committed by that time. If the store is unavailable, nothing is counted and nothing waits.
final class StartCounts: Sendable {
    /// How long starts of a partition are counted after its owner crashed.
    static let period = Duration.seconds(600)
    /// Counted starts that ended with the process before a message is dead-lettered; all but the first are alone.
    static let maximum = 3

    private struct Tenure {
        let number: Int
        let opening: Task<Bool?, Never>
        let until: Duration
    }

    private struct State {
        var tenures: [PartitionID: Tenure] = [:]
        var started: [PartitionID: Set<Int64>] = [:]
        /// Set once the process is shutting down: its end is then not caused by a message.
        var closing: Task<Void, Never>?
    }

    private let starts: any MessageStarts
    private let group: String
    private let environment: WorkerEnvironment
    private let owner: String
    private let state = Mutex(State())

    init(_ starts: any MessageStarts, group: String, environment: WorkerEnvironment) {
        self.starts = starts
        self.group = group
        self.environment = environment
        owner = environment.random.hexadecimal()
    }

    private var isClosing: Bool { state.withLock { $0.closing != nil } }

    /// Returns true if the starts of this delivery should be counted. The first delivery of a partition opens it.
    func areCounted(for delivery: Delivery) async -> Bool {
        let now = environment.time.uptime
        let tenure: Tenure? = state.withLock { state in
            guard state.closing == nil else { return nil }
            if let known = state.tenures[delivery.partition], known.number == delivery.tenure { return known }
            let tenure = Tenure(
                number: delivery.tenure, opening: Task { await open(delivery) }, until: now + StartCounts.period)
            state.tenures[delivery.partition] = tenure
            return tenure
        }
        guard let tenure, now < tenure.until else { return false }
        guard let isCounting = await tenure.opening.value else {
            // The next delivery tries again.
            state.withLock { state in
                if state.tenures[delivery.partition]?.number == tenure.number {
                    state.tenures[delivery.partition] = nil
                }
            }
            return false
        }
        return isCounting
    }

    /// Returns the earlier starts of each message, by other workers, that did not end. Counts this one if all are zero, or
    /// `regardless`.
    func begin(_ offsets: [Int64], of partition: PartitionID, regardless: Bool) async -> [Int] {
        let none = offsets.map { _ in 0 }
        guard !isClosing else { return none }
        let place = place(partition)
        // Without an answer they may be counted.
        let counts =
            await attempt { [owner] in
                try await self.starts.begin(offsets, of: place, owner: owner, regardless: regardless)
            } ?? none
        guard regardless || counts.allSatisfy({ $0 == 0 }) else { return counts }
        let isNoted = state.withLock { state in
            guard state.closing == nil else { return false }
            state.started[partition, default: []].formUnion(offsets)
            return true
        }
        if !isNoted {
            await attempt { [owner] in try await self.starts.giveBack(offsets, of: place, owner: owner) }
        }
        return counts
    }

    func end(_ offsets: [Int64], of partition: PartitionID) async {
        _ = forget(offsets, of: partition)
        let place = place(partition)
        await attempt { try await self.starts.end(offsets, of: place) }
    }

    func giveBack(_ offsets: [Int64], of partition: PartitionID) async {
        let own = forget(offsets, of: partition)
        guard !own.isEmpty else { return }
        let place = place(partition)
        await attempt { [owner] in try await self.starts.giveBack(own, of: place, owner: owner) }
    }

    /// The process is shutting down: gives its starts back immediately, since it may be killed before it is done.
    func close() {
        state.withLock { state in
            guard state.closing == nil else { return }
            let started = state.started
            state.started = [:]
            let partitions = Array(state.tenures.keys)
            state.closing = Task {
                await withTaskGroup(of: Void.self) { tasks in
                    for partition in partitions {
                        tasks.addTask { await self.close(partition, givingBack: started[partition] ?? []) }
                    }
                }
            }
        }
    }

    /// Returns once the store has recorded the shutdown, or recording failed.
    func closed() async {
        close()
        await state.withLock { $0.closing }?.value
    }

    /// Nil if the store did not answer.
    private func open(_ delivery: Delivery) async -> Bool? {
        let place = place(delivery.partition)
        let isCounting = await attempt { [owner] in try await self.starts.open(place, owner: owner) }
        if isClosing { await close(delivery.partition, givingBack: []) }
        if isCounting == true {
            environment.log.info(
                "partition was not closed by its last consumer: counting message starts",
                [.topic: place.channel, .partition: "\(place.number)", .group: group])
        }
        return isCounting
    }

    private func close(_ partition: PartitionID, givingBack offsets: Set<Int64>) async {
        let place = place(partition)
        await attempt { [owner] in
            try await self.starts.close(place, owner: owner, givingBack: Array(offsets))
        }
    }

    /// Returns the offsets among them that were noted as started here.
    private func forget(_ offsets: [Int64], of partition: PartitionID) -> [Int64] {
        state.withLock { state in
            let own = offsets.filter { state.started[partition]?.remove($0) != nil }
            if state.started[partition]?.isEmpty == true { state.started[partition] = nil }
            return own
        }
    }

    /// In a separate task: a cancelled worker still has to give back its starts.
    @discardableResult
    private func attempt<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async -> Value? {
        await Task { [environment] in
            do {
                return try await body()
            } catch {
                environment.log.debug("message starts not counted", [.group: group, .error: "\(error)"])
                return nil
            }
        }.value
    }

    private func place(_ partition: PartitionID) -> ConsumedPartition {
        ConsumedPartition(group: group, channel: partition.channel, number: partition.number)
    }
}
