import Bus
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(5))) struct ResolverProcessTests {
    /// Goal: a crash in the middle of a broadcast leaves no device out, whichever other resolvers run, and lets no
    /// device be sent twice. Method: two resolvers share 40 segments with little room for their chunks; one is killed
    /// half-way, then the other, and a third finishes. Every chunk of all three is claimed as by senders.
    @Test func aCrashInABroadcastLosesNoDevice() async throws {
        let harness = try await ResolverHarness()
        let everybody = try await harness.fill(segments: 40, devices: 300)
        let task = TaskID(high: 1, low: 1)
        let (first, second) = (try await harness.startResolver(), try await harness.startResolver())
        let consumer = try await harness.readAudience()
        try await harness.post(task)

        var log = AudienceLog()
        while log.devices.count < everybody.count / 4 { try await log.read(consumer) }
        first.signal(9)
        #expect(await first.end() == .signalled(9))
        while log.devices.count < everybody.count / 2 { try await log.read(consumer) }
        second.signal(9)
        #expect(await second.end() == .signalled(9))
        let before = try #require(try await harness.ledger.progress(of: task))
        #expect(before.jobsResolved < before.plan.jobs, "the broadcast ended before the crash")

        let third = try await harness.startResolver()
        while log.devices != everybody { try await log.read(consumer) }
        var progress = before
        // The last job may not yet be noted as resolved; nothing else is missing.
        while progress.jobsResolved < progress.plan.jobs {
            progress = try #require(try await harness.ledger.progress(of: task))
        }
        third.signal(15)
        #expect(await third.end() == .exited(0))
        await consumer.close()

        #expect(try await harness.marked(task) == everybody)
        #expect(progress.plan.jobs == 40)
        // A process that dies between resolving a job and its last step leaves the job's device list to expire.
        #expect(try await harness.undropped() <= 2 * WorkerOptions().concurrency)
        #expect(try await harness.claims(of: log.chunks) == everybody.count)
    }
}
