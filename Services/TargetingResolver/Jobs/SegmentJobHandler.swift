import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Handles the segment jobs of bulk tasks; any resolver may handle any job.
struct SegmentJobHandler: MessageHandler {
    /// Jobs of a chain handled in one go where audiences are sparse, so that their chunks are filled. Parts of a list are
    /// handled one by one: they have devices of the same segments, which a chunk contains only once.
    static let jobsAtOnce = 32

    let archive: any TaskArchive
    let ledger: any Ledger
    let registry: any RegistryMaintenance
    let search: DeviceSearch
    let inputs: ResolutionInputCache
    let marking: JobMarking
    let completion: JobCompletion
    let meters: ResolverMeters

    func handle(
        _ messages: [ReceivedMessage<SegmentJob>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        for message in messages { try await perform(message.message, trace: message.trace, context: context) }
        return []
    }

    /// Handles the job, and those that follow it until a chunk is full. A resolved job ends the chain here: the
    /// resolver that resolved it has sent on the next one.
    private func perform(_ first: SegmentJob, trace: TraceContext?, context: HandlerContext) async throws {
        let started = context.time.uptime
        guard try await isOpen(first, context: context) else { return }
        var output = JobOutput(of: first.task, app: first.app, lane: first.lane, trace: trace)
        var done: [ResolvedJob] = []
        var current: SegmentJob? = first
        var count = 0
        while let job = current, count < (first.isOfList ? 1 : SegmentJobHandler.jobsAtOnce),
            output.deviceCount < AudienceChunk.devicesMaximum
        {
            if count > 0, try await !isOpen(job, context: context) {
                current = nil
                break
            }
            count += 1
            switch try await attempt(job, context: context) {
            case .marked(let devices, let unmatched):
                output.add(devices)
                done.append(ResolvedJob(job.job, unmatched: unmatched))
                current = job.next
            case .parked(let withoutNext):
                current = withoutNext ? job.next : nil
            }
        }
        try await completion.complete(done, output: output, next: current, context: context)
        meters.duration(first.lane).record(context.time.uptime - started)
    }

    private enum Attempt {
        case marked([MarkedDevices], unmatched: Int)
        /// To be retried later, with the jobs that follow it or without.
        case parked(withoutNext: Bool)
    }

    /// A job that lacks data of its own is parked, so that it blocks no others; after its task's deadline it is
    /// resolved without that data.
    private func attempt(_ job: SegmentJob, context: HandlerContext) async throws -> Attempt {
        do {
            return try await mark(job, context: context)
        } catch let error as TemporarilyMissingError {
            return try await park(job, until: error, context: context)
        } catch {
            guard try await search.isOfOneSegment(error) else { throw error }
            log(error, job: job, context: context)
            guard let plan = try await ledger.progress(of: job.task)?.plan, context.time.now < plan.deadline else {
                return .marked([], unmatched: 0)
            }
            try await completion.parking.park(job.alone, at: context.time.now)
            return .parked(withoutNext: true)
        }
    }

    /// A part that is long missing does not delay the parts behind it; before, these are mostly missing as well.
    private func park(
        _ job: SegmentJob, until error: TemporarilyMissingError, context: HandlerContext
    ) async throws -> Attempt {
        let now = context.time.now
        guard let age = error.age else {
            log(error, job: job, context: context)
            try await completion.parking.park(job, at: now)
            return .parked(withoutNext: false)
        }
        let isEarly = age < JobParking.youth
        if !isEarly { log(error, job: job, context: context) }
        try await completion.parking.park(isEarly ? job : job.alone, for: JobParking.pause(atAge: age), at: now)
        return .parked(withoutNext: !isEarly)
    }

    private func log(_ error: any Error, job: SegmentJob, context: HandlerContext) {
        context.log.error(
            "job lacks required data; other jobs continue",
            [.task: "\(job.task)", .app: job.app.text, .job: "\(job.job)", .error: "\(error)"])
    }

    private func mark(_ job: SegmentJob, context: HandlerContext) async throws -> Attempt {
        guard let input = try await input(of: job, context) else { return .marked([], unmatched: 0) }
        let found = try await targets(of: job, input: input, context: context)
        let decided = try await marking.decide(found, job: job.job, input: input)
        return .marked(
            try await marking.mark(decided.selected, job: job.job, input: input), unmatched: decided.unmatched)
    }

    /// False if there is nothing to do.
    private func isOpen(_ job: SegmentJob, context: HandlerContext) async throws -> Bool {
        switch try await ledger.isResolved(job: job.job, of: job.task) {
        case false?: return true
        case true?: return false
        case nil:
            // A task is planned before its jobs are sent: the store has lost it. A rebuild writes it again before the
            // registry is complete; without a rebuild nothing may be sent for it.
            guard try await registry.state() == .ready else {
                throw TemporarilyMissingError(description: "task \(job.task) is not in the ledger")
            }
            context.log.error("job skipped: its task is not in the ledger", [.task: "\(job.task)", .app: job.app.text])
            return false
        }
    }

    /// Nil if the archive has lost the task permanently: its jobs are resolved all the same, so that it closes.
    private func input(of job: SegmentJob, _ context: HandlerContext) async throws -> ResolutionInput? {
        if let input = try await inputs.input(of: job.task) { return input }
        if let plan = try await ledger.progress(of: job.task)?.plan, context.time.now < plan.deadline {
            throw TemporarilyMissingError(description: "task \(job.task) is not in the archive")
        }
        context.log.error("task lost; jobs are resolved without devices", [.task: "\(job.task)", .app: job.app.text])
        return nil
    }

    private func targets(
        of job: SegmentJob, input: ResolutionInput, context: HandlerContext
    ) async throws -> FoundDevices {
        switch job.work {
        case .segments(let segments, _):
            guard let segment = segments.first, let audience = input.audience else { return FoundDevices() }
            var candidates = CandidateDevices(segment: segment)
            candidates.add(try await search.reach(audience, in: segment, of: input.app))
            return try await search.find([candidates], input: input)
        case .part(let number, _):
            guard let entries = try await entries(of: number, for: job, input: input, context: context) else {
                return FoundDevices()
            }
            let listed = try await search.listed(entries, in: input.app)
            return try await search.find(listed.candidates, listed: listed, input: input)
        }
    }

    /// Nil for an abandoned part.
    private func entries(
        of part: Int, for job: SegmentJob, input: ResolutionInput, context: HandlerContext
    ) async throws -> ListedEntries? {
        if case .entries(let entries) = input.list { return ListedEntries(entries) }
        if let bytes = try await archive.part(part, of: input.task) {
            var listed = ListedEntries()
            listed.add(try TaskPart(archived: bytes, of: input.task))
            if input.hasListedContents {
                try await archive.retainContents(of: input.task, deadline: input.deadline, at: context.time.now)
            }
            return listed
        }
        let patience = min(input.deadline, input.begins + TaskArchiveBounds.partRetention)
        guard context.time.now >= patience else {
            throw TemporarilyMissingError(
                description: "part \(part) of the list of task \(input.task) is not in the archive",
                age: context.time.now - input.begins)
        }
        meters.partsLost.increment()
        context.log.error(
            "part of a task's list lost; its devices are left out",
            [.task: "\(input.task)", .app: input.app.text, .job: "\(job.job)"])
        return nil
    }
}

extension SegmentJob {
    fileprivate var isOfList: Bool {
        guard case .part = work else { return false }
        return true
    }
}
