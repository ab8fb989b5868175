import ServiceKit
import Store
import Synchronization

/// What one worker knows of the starts of its messages.
///
/// Nothing is counted while partitions come from owners that ended in good order, so that a message costs nothing more than
/// before. Behind an owner that died starts are counted for a while: the message that ended it comes again soon, since
/// messages that were done before it are recorded by then. A store that is away is no reason to wait: nothing is counted.
final class StartCounts: Sendable {
    /// For how long the starts of a partition are counted behind an owner that died.
    static let period = Duration.seconds(600)
    /// So many counted starts of one message that ended with the process, all but the first of them alone, and it is given up.
    static let maximum = 3

    private struct Tenure {
        let number: Int
        let opening: Task<Bool?, Never>
        let until: Duration
    }

    private struct State {
        var tenures: [PartitionID: Tenure] = [:]
        var started: [PartitionID: Set<Int64>] = [:]
        /// Set once the process was told to end: its end is no message's doing.
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

    /// Whether the starts of this delivery are to be counted. The first delivery of a partition opens it.
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

    /// How often each was started before and not ended, with one start of each counted where none was, or `regardless`.
    func begin(_ offsets: [Int64], of partition: PartitionID, regardless: Bool) async -> [Int] {
        let none = offsets.map { _ in 0 }
        guard !isClosing else { return none }
        let place = place(partition)
        guard let counts = await attempt({ try await self.starts.begin(offsets, of: place, regardless: regardless) })
        else { return none }
        guard regardless || counts.allSatisfy({ $0 == 0 }) else { return counts }
        let isNoted = state.withLock { state in
            guard state.closing == nil else { return false }
            state.started[partition, default: []].formUnion(offsets)
            return true
        }
        if !isNoted { await attempt { try await self.starts.giveBack(offsets, of: place) } }
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
        await attempt { try await self.starts.giveBack(own, of: place) }
    }

    /// The process was told to end: what it has started is given back at once, since it may be killed before it is done.
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

    /// Returns once the store knows of the end, or could not be told.
    func closed() async {
        close()
        await state.withLock { $0.closing }?.value
    }

    /// Nil when the store could not be asked.
    private func open(_ delivery: Delivery) async -> Bool? {
        let place = place(delivery.partition)
        let isCounting = await attempt { [owner] in try await self.starts.open(place, owner: owner) }
        if isClosing { await close(delivery.partition, givingBack: []) }
        if isCounting == true {
            environment.log.info(
                "the partition was not closed by its last consumer; counting starts of its messages",
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

    /// Those of them that were noted as started here.
    private func forget(_ offsets: [Int64], of partition: PartitionID) -> [Int64] {
        state.withLock { state in
            let own = offsets.filter { state.started[partition]?.remove($0) != nil }
            if state.started[partition]?.isEmpty == true { state.started[partition] = nil }
            return own
        }
    }

    /// In a task of its own: a worker that is cancelled still has to say what it gives back.
    @discardableResult
    private func attempt<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async -> Value? {
        await Task { [environment] in
            do {
                return try await body()
            } catch {
                environment.log.debug("starts of messages are not counted", [.group: group, .error: "\(error)"])
                return nil
            }
        }.value
    }

    private func place(_ partition: PartitionID) -> ConsumedPartition {
        ConsumedPartition(group: group, channel: partition.channel, number: partition.number)
    }
}
