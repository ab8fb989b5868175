import Bus
import ServiceKit
import Store
import Topics

/// Makes a job's output durable and resolves the job, in the one order that loses nothing wherever it is interrupted.
struct JobCompletion: Sendable {
    let archive: any TaskArchive
    let ledger: any Ledger
    let parking: JobParking
    let meters: ResolverMeters

    /// Completes one job, or several of one chain in order, whose devices are in the output.
    ///
    /// Devices are deferred once the orders of their releases are on the bus: without an order nothing would release
    /// them. If an order comes due before, its claim is repeated.
    ///
    /// The next job is sent once all output of this one is on the bus: while `audience` is full, each attempt would
    /// otherwise start another job. The first job is resolved last, since it is the one that is redelivered, and does
    /// nothing once it is resolved.
    func complete(
        _ jobs: [ResolvedJob], output: JobOutput, next: SegmentJob?, context: HandlerContext
    ) async throws {
        let messages = output.messages(at: context.time.now)
        if !messages.isEmpty { try await context.producer.send(messages) }
        for (segment, groups) in output.deferrals { _ = try await ledger.defer(groups, of: output.task, in: segment) }
        if let next, try await !parking.park(next, after: output.providers, at: context.time.now) {
            try await context.producer.send([output.message(next)])
        }
        for job in jobs.reversed() {
            try await ledger.resolve(job: job.number, unmatched: job.unmatched, of: output.task)
            // The kept devices of a fast task are dropped with its job.
            if output.lane == .bulk { try await archive.dropDevices(job: job.number, of: output.task) }
        }
        meters.jobsResolved.increment(by: jobs.count)
        meters.devicesTargeted(output.lane).increment(by: output.deviceCount)
    }
}
