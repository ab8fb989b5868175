import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Devices of one segment that are marked.
struct MarkedDevices: Sendable {
    let targets: SelectedDevices
    /// Devices that are to be sent on now.
    var open = SegmentSet()
    /// Devices that are to be deferred, once the orders of their releases are durable.
    var deferrals: [Deferral] = []
    /// Results of devices that ended with the mark.
    var ended: [DeviceResult] = []
}

/// Decides the devices of a job, and marks them in the ledger.
///
/// The decision is kept before the first mark. If an interrupted job queried the registry again, a device that has left
/// the audience meanwhile would stay marked and never be sent on.
struct JobMarking: Sendable {
    let archive: any TaskArchive
    let ledger: any Ledger
    let search: DeviceSearch
    let removed: RemovedTargets
    let judges: any DeviceJudges
    let pacing: DevicePacing
    let endings: DeviceEndings
    let time: any TimeSource
    let log: Log
    let meters: ResolverMeters

    /// Returns the valid decision: this one, unless an earlier delivery of the job has decided.
    func decide(_ found: FoundDevices, job: Int, input: ResolutionInput) async throws -> FoundDevices {
        let proposed = DecidedDevices(found).encoded
        let held = try await archive.decide(devices: proposed, job: job, of: input.task)
        guard held != proposed else { return found }
        let decided = try DecidedDevices(decoding: held)
        return FoundDevices(
            selected: try await search.find(decided, in: input.app), unmatched: decided.unmatched)
    }

    /// If the task was just begun, and its segments with it, they are not entered again.
    func mark(
        _ targets: [SelectedDevices], job: Int, input: ResolutionInput, enteredIn entered: EnteredTask? = nil
    ) async throws -> [MarkedDevices] {
        try await targets.concurrentMap(atOnce: DeviceSearch.questionsAtOnce) {
            try await mark($0, job: job, input: input, entered: entered)
        }
    }

    private func mark(
        _ targets: SelectedDevices, job: Int, input: ResolutionInput, entered: EnteredTask?
    ) async throws -> MarkedDevices {
        let segment = SegmentID(input.app, number: targets.segment)
        let (present, gone) = (targets.present, targets.removed)
        if !gone.isEmpty { try await removed.end(gone, of: input.task, in: segment) }
        guard !present.isEmpty else { return MarkedDevices(targets: targets) }
        switch try await verdict(on: present, of: input.task, in: segment, entered) {
        case .open(let open):
            var marked = try await judge(open, of: targets, job: job, input: input, in: segment)
            marked.ended += try await suppressed(targets, among: present.subtracting(open), of: input.task, in: segment)
            return marked
        case .cancelled:
            let ended = try await cancelled(targets, present: present, of: input.task, in: segment)
            return MarkedDevices(targets: targets, ended: ended)
        case .missing:
            meters.devicesUnledgered.increment(by: present.count)
            log.error(
                "devices not sent: the ledger has no open task for them",
                [.task: "\(input.task)", .segment: "\(segment)", .count: "\(present.count)"])
            return MarkedDevices(targets: targets)
        }
    }

    /// A repeated job judges its open devices again, except those that are deferred.
    private func judge(
        _ open: SegmentSet, of targets: SelectedDevices, job: Int, input: ResolutionInput, in segment: SegmentID
    ) async throws -> MarkedDevices {
        let now = time.now
        let sorted = JudgedDevices(
            targets.records, among: open, in: targets.segment,
            judge: judges.judge(of: input.task, rules: input.rules), now: now)
        let step = DevicePacing.Step("j\(job).\(targets.segment.rawValue)", of: input.task, in: input.app, now: now)
        let judged = try await pacing.pace(sorted, rules: input.rules, in: step)
        var marked = MarkedDevices(targets: targets, open: judged.sendable, deferrals: judged.deferrals)
        for (reason, devices) in judged.suppressed {
            let ending = try await endings.end(
                DeviceEndings.Order(
                    task: input.task, segment: segment, attempt: 0, timing: .ofTask, state: .suppressed, reason: reason,
                    devices: targets.records.endings(of: devices)))
            // Its holder ends it, or has crashed and leaves it to this process when its lease expires.
            guard ending.held.isEmpty else { throw HeldElsewhereError(count: ending.held.count) }
            marked.ended += ending.results
        }
        return marked
    }

    /// What an earlier delivery of the job ended, and may not have reported: no message names these devices any more.
    private func suppressed(
        _ targets: SelectedDevices, among ended: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws -> [DeviceResult] {
        guard !ended.isEmpty else { return [] }
        let unreported = try await ledger.unreported(of: task, in: segment).filter {
            $0.state == .suppressed && ended.contains($0.index.offset)
        }
        let details = Dictionary(unreported.map { ($0.index.offset, $0.detail) }) { first, _ in first }
        return targets.records.untriedResults(
            of: SegmentSet(unreported.map(\.index.offset)), as: .suppressed, in: targets.segment,
            details: details.compactMapValues { $0 })
    }

    private func verdict(
        on devices: SegmentSet, of task: TaskID, in segment: SegmentID, _ entered: EnteredTask?
    ) async throws -> MarkVerdict {
        guard let entered else { return try await ledger.mark(devices, of: task, in: segment) }
        return try await ledger.mark(devices, of: task, in: segment, enteredIn: entered)
    }

    /// The mark ended the devices that were not marked before; a repeat reports the same again. Devices held by a
    /// sender are reported by it.
    private func cancelled(
        _ targets: SelectedDevices, present: SegmentSet, of task: TaskID, in segment: SegmentID
    ) async throws -> [DeviceResult] {
        let states = try await ledger.states(of: task, in: segment)?.states ?? [:]
        let cancelled = SegmentSet(states.filter { $0.value == .cancelled }.keys)
        return targets.records.untriedResults(
            of: present.intersection(cancelled), as: .cancelled, in: targets.segment)
    }
}

extension PackedDevices {
    fileprivate func endings(of devices: SegmentSet) -> [DeviceEndings.Order.Device] {
        offsets.enumerated().compactMap { position, offset in
            guard devices.contains(offset) else { return nil }
            let head = Device.PackedHead(record(at: position))
            return DeviceEndings.Order.Device(offset: offset, tag: head?.tag ?? 0, provider: head?.kind ?? .http)
        }
    }
}
