import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Releases the orders of a lease: devices are judged again, and sent to be rendered, delayed, or ended.
struct RetryRelease: EntryRelease {
    /// Delay until a removed device that a sender still holds is checked again.
    static let heldPause = Duration.seconds(5)
    /// Delay until devices of a segment that the registry has lost are looked up again.
    static let lostPause = Duration.seconds(30)

    static let entriesMaximum = 64
    let registry: any RegistryReader
    /// True if the registry as a whole is ready: then only single segments may be missing.
    let isRegistryReady: @Sendable () async throws -> Bool
    let ledger: any Ledger
    let index: any RetryIndex
    let producer: any BusProducer
    let judges: any DeviceJudges
    let pacing: DevicePacing
    let rules: ArchivedRules
    let suppression: SuppressedDevices
    let hold: OutageHold
    let log: Log

    /// Returns how many devices were released. After an interruption the lease expires and all of it is repeated, which
    /// the ledger's claims make harmless; orders are removed only when everything that follows from them is durable.
    func perform(_ lease: RetryLease, shard: RetryShard) async throws -> Int {
        do {
            return try await release(lease.entries, of: lease, shard: shard)
        } catch {
            if try await mayPass(error) { throw error }
            return try await releaseOneByOne(lease, shard: shard)
        }
    }

    /// An order that cannot be released must not block the others forever. It stays in the lease and is retried when
    /// that expires; an order of a lost segment is moved behind the others.
    private func releaseOneByOne(_ lease: RetryLease, shard: RetryShard) async throws -> Int {
        var devices = 0
        for entry in lease.entries {
            do {
                devices += try await release([entry], of: lease, shard: shard)
            } catch {
                if try await mayPass(error) { throw error }
                log.error("retry not released; it stays in the index", [.error: "\(error)"])
                if RetryRelease.isNotReady(error) { try await postpone(entry, of: lease, shard: shard) }
            }
        }
        return devices
    }

    /// Postponed until its task is closed, which ends its devices.
    private func postpone(_ entry: RetryEntry, of lease: RetryLease, shard: RetryShard) async throws {
        let order = try RetryOrder(decoding: entry.order)
        if let progress = try await ledger.progress(of: order.task), progress.closed == nil {
            let due = lease.taken + RetryRelease.lostPause
            try await index.add([RetryEntry(order.with(devices: order.devices, due: due.milliseconds))], to: shard)
        }
        try await index.complete([entry], in: shard)
    }

    /// True if retrying the whole lease may help.
    private func mayPass(_ error: any Error) async throws -> Bool {
        if Task.isCancelled { return true }
        guard RetryRelease.isNotReady(error) else { return (error as? any RetriableError)?.isRetriable == true }
        return try await !isRegistryReady()
    }

    private static func isNotReady(_ error: any Error) -> Bool { (error as? StoreError)?.code == .notReady }

    private func release(_ entries: [RetryEntry], of lease: RetryLease, shard: RetryShard) async throws -> Int {
        let (orders, jobs, readable) = read(entries)
        let due = await hold.sort(orders, jobs: jobs, at: lease.taken)
        let lookups = try await lookUp(RetryGroup.groups(of: due.orders), at: lease.taken)
        let chunks = RetryLookup.chunks(lookups, isFast: shard.isFast)
        // Waits while `audience` is full: nothing is released that has no room there.
        if !chunks.isEmpty { try await producer.send(chunks.map(RetryRelease.message)) }
        if !due.jobs.isEmpty {
            try await producer.send(due.jobs.map { Topics.segments.message($0, key: $0.key, lane: .bulk) })
        }
        if !due.held.isEmpty { try await index.add(due.held, to: shard) }
        try await delay(lookups, shard: shard)
        let held = try await endSuppressed(lookups)
        if !held.isEmpty {
            let due = lease.taken + RetryRelease.heldPause
            try await index.add(held.flatMap { $0.orders(due: due) }.map(RetryEntry.init), to: shard)
        }
        try await index.complete(readable, in: shard)
        return chunks.reduce(0) { $0 + $1.deviceCount }
    }

    /// An order of an unknown version stays for a scheduler that can decode it.
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
                log.error("retry not decoded; it stays in the index", [.error: "\(error)"])
            }
        }
        return (orders, jobs, readable)
    }

    /// Concurrently, without a limit: a lease is small.
    private func lookUp(_ groups: [RetryGroup], at now: Timestamp) async throws -> [RetryLookup] {
        try await withThrowingTaskGroup(of: (Int, RetryLookup).self) { tasks in
            for (place, group) in groups.enumerated() {
                tasks.addTask { (place, try await lookUp(group, at: now)) }
            }
            var lookups: [(place: Int, part: RetryLookup)] = []
            for try await answer in tasks { lookups.append((answer.0, answer.1)) }
            return lookups.sorted { $0.place < $1.place }.map(\.part)
        }
    }

    private func lookUp(_ group: RetryGroup, at now: Timestamp) async throws -> RetryLookup {
        let (task, segment) = (group.key.task, group.key.segment)
        let found = try await registry.devices(at: group.offsets, in: segment)
        let rules = try await rules.rules(of: task)
        let judged = JudgedDevices(
            found, among: group.offsets, in: segment.number, judge: rules.flatMap { judges.judge(of: task, rules: $0) },
            now: now)
        guard let rules, !group.hasSlots(at: now) else {
            return RetryLookup(group: group, found: found, judged: judged)
        }
        let step = DevicePacing.Step(group.stepName, of: task, in: segment.app, now: now)
        return RetryLookup(group: group, found: found, judged: try await pacing.pace(judged, rules: rules, in: step))
    }

    /// Devices that may not be sent to yet. Their orders are in the index before the ledger names the new time; if one
    /// of a deferral comes due before, it finds its device deferred as it was.
    private func delay(_ lookups: [RetryLookup], shard: RetryShard) async throws {
        let orders = lookups.flatMap(\.delayed).flatMap { $0.parts(of: RetryIntake.devicesMaximum) }
        guard !orders.isEmpty else { return }
        try await index.add(orders.map(RetryEntry.init), to: shard)
        for lookup in lookups where lookup.group.key.timing.deferral != nil && !lookup.judged.deferrals.isEmpty {
            let key = lookup.group.key
            _ = try await ledger.defer(lookup.judged.deferrals, of: key.task, in: key.segment)
        }
    }

    /// Returns the devices that a sender still holds: it ends them, or crashes and leaves them to this process.
    private func endSuppressed(_ lookups: [RetryLookup]) async throws -> [RetryGroup] {
        var held: [RetryGroup] = []
        for lookup in lookups {
            var ends = lookup.judged.suppressed.map { (lookup.group.limited(to: $0.devices.offsets), $0.reason) }
            ends.append((lookup.gone, SuppressedDevices.removed))
            for (group, reason) in ends where !group.members.isEmpty {
                let ending = try await suppression.end(group, reason: reason)
                if !ending.results.isEmpty { try await producer.send(ending.results) }
                if !ending.held.members.isEmpty { held.append(ending.held) }
            }
        }
        return held
    }

    private static func message(_ chunk: AudienceChunk) -> OutgoingMessage {
        let key = chunk.segments.first.map { Topics.key(chunk.task, segment: $0.segment) }
        return Topics.audience.message(chunk, key: key, lane: chunk.lane)
    }
}
