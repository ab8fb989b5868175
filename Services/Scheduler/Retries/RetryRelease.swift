import Bus
import ServiceKit
import Store
import Topics

/// Lets the orders of a lease go: to be rendered and checked again, or to their end where the device is gone.
struct RetryRelease: Sendable {
    /// When a device that is gone, and that a sender still holds, is looked at again.
    static let heldPause = Duration.seconds(5)
    /// When devices of a segment that the registry has lost are looked up again.
    static let lostPause = Duration.seconds(30)

    let registry: any RegistryReader
    /// Whether the registry as a whole is ready: what is not ready then is a segment of its own.
    let isRegistryReady: @Sendable () async throws -> Bool
    let ledger: any Ledger
    let index: any RetryIndex
    let producer: any BusProducer
    let removal: RemovedDevices
    let hold: OutageHold
    let log: Log

    /// How many devices went on. Cut off anywhere, the lease dies and all of it is done again, which the ledger's claims
    /// make harmless; the orders go only when everything that came of them is durable.
    func perform(_ lease: RetryLease, shard: RetryShard) async throws -> Int {
        do {
            return try await release(lease.entries, of: lease, shard: shard)
        } catch {
            if try await mayPass(error) { throw error }
            return try await releaseOneByOne(lease, shard: shard)
        }
    }

    /// An order that cannot be released must not keep the others, which would wait behind it for ever. It stays in the
    /// lease and is looked at again when that is over; one of a lost segment goes behind the others.
    private func releaseOneByOne(_ lease: RetryLease, shard: RetryShard) async throws -> Int {
        var devices = 0
        for entry in lease.entries {
            do {
                devices += try await release([entry], of: lease, shard: shard)
            } catch {
                if try await mayPass(error) { throw error }
                log.error("a retry cannot be released and waits", [.error: "\(error)"])
                if RetryRelease.isNotReady(error) { try await postpone(entry, of: lease, shard: shard) }
            }
        }
        return devices
    }

    /// Until its task is closed, which ends its devices.
    private func postpone(_ entry: RetryEntry, of lease: RetryLease, shard: RetryShard) async throws {
        let order = try RetryOrder(decoding: entry.order)
        if let progress = try await ledger.progress(of: order.task), progress.closed == nil {
            let due = lease.taken + RetryRelease.lostPause
            try await index.add([RetryEntry(order.with(devices: order.devices, due: due.milliseconds))], to: shard)
        }
        try await index.complete([entry], in: shard)
    }

    /// Whether trying the whole lease again may help.
    private func mayPass(_ error: any Error) async throws -> Bool {
        if Task.isCancelled { return true }
        guard RetryRelease.isNotReady(error) else { return (error as? any RetriableError)?.isRetriable == true }
        return try await !isRegistryReady()
    }

    private static func isNotReady(_ error: any Error) -> Bool { (error as? StoreError)?.code == .notReady }

    private func release(_ entries: [RetryEntry], of lease: RetryLease, shard: RetryShard) async throws -> Int {
        let (orders, jobs, readable) = read(entries)
        let due = await hold.sort(orders, jobs: jobs, at: lease.taken)
        let catches = try await lookUp(RetryGroup.groups(of: due.orders))
        let chunks = RetryLookup.chunks(catches, isFast: shard.isFast)
        // Waits while `audience` is at its bound: nothing is released for which there is no room.
        if !chunks.isEmpty { try await producer.send(chunks.map(RetryRelease.message)) }
        if !due.jobs.isEmpty {
            try await producer.send(due.jobs.map { Topics.segments.message($0, key: $0.key, lane: .bulk) })
        }
        if !due.held.isEmpty { try await index.add(due.held, to: shard) }
        let held = try await endRemoved(catches)
        if !held.isEmpty {
            let due = lease.taken + RetryRelease.heldPause
            try await index.add(held.flatMap { $0.orders(due: due) }.map(RetryEntry.init), to: shard)
        }
        try await index.complete(readable, in: shard)
        return chunks.reduce(0) { $0 + $1.deviceCount }
    }

    /// An order of a version that is not known here stays for a scheduler that knows it.
    private func read(
        _ entries: [RetryEntry]
    ) -> (orders: [RetryOrder], jobs: [ParkedJob], readable: [RetryEntry]) {
        var orders: [RetryOrder] = []
        var jobs: [ParkedJob] = []
        var readable: [RetryEntry] = []
        for entry in entries {
            do {
                if ParkedJob.isOne(entry.order) {
                    jobs.append(try ParkedJob(decoding: entry.order))
                } else {
                    orders.append(try RetryOrder(decoding: entry.order))
                }
                readable.append(entry)
            } catch {
                log.error("a retry cannot be read and waits", [.error: "\(error)"])
            }
        }
        return (orders, jobs, readable)
    }

    /// All at once: a lease is small.
    private func lookUp(_ groups: [RetryGroup]) async throws -> [RetryLookup] {
        try await withThrowingTaskGroup(of: (Int, RetryLookup).self) { tasks in
            for (place, group) in groups.enumerated() {
                tasks.addTask {
                    let found = try await registry.devices(at: group.offsets, in: group.key.segment)
                    return (place, RetryLookup(group: group, found: found))
                }
            }
            var catches: [(place: Int, part: RetryLookup)] = []
            for try await answer in tasks { catches.append((answer.0, answer.1)) }
            return catches.sorted { $0.place < $1.place }.map(\.part)
        }
    }

    /// Those whom a sender still holds: its claim ends them, or dies and leaves them to us.
    private func endRemoved(_ catches: [RetryLookup]) async throws -> [RetryGroup] {
        var held: [RetryGroup] = []
        for gone in catches.map(\.gone) where !gone.members.isEmpty {
            let ending = try await removal.end(gone)
            if !ending.results.isEmpty { try await producer.send(ending.results) }
            if !ending.held.members.isEmpty { held.append(ending.held) }
        }
        return held
    }

    private static func message(_ chunk: AudienceChunk) -> OutgoingMessage {
        let key = chunk.segments.first.map { Topics.key(chunk.task, segment: $0.segment) }
        return Topics.audience.message(chunk, key: key, lane: chunk.lane)
    }
}
