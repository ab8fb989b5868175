import Bus
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Goal: after Redis is emptied in the middle of a task, no device gets a push twice, and every device in dispatch ends
/// with its result or as unknown. Method: slow providers, a FLUSHALL once some pushes have arrived, a rebuild that is
/// killed and run again, and the simulator's own count.
@Suite(.timeLimit(.minutes(10))) struct RedisLossTests {
    @Test func withKafkaARebuildEndsTheTaskAndThePipelineContinues() async throws {
        let harness = try await Harness(.kafka)
        _ = try await harness.ingest.register([TestDevice(9_000, kind: .apns, topics: ["solo"])])
        let solo = try await harness.post(#"{"audience":{"topic":"solo"},"message":{"body":"One"}}"#, key: "solo")
        _ = try #require(await harness.reports.report(of: solo), "\(harness.lines)")
        _ = try await harness.ingest.register(TestDevice.mixture(KillStory.devices))
        try await harness.slowProviders()
        let broadcast = #"{"audience":{"topic":"news"},"message":{"body":"There"}}"#
        let task = try await harness.post(broadcast, key: "broadcast")
        try await harness.hasDelivered(300)
        try await harness.hasResult(of: task)
        try await harness.emptyRedis()
        // Accepted while the pipeline has no registry to resolve it with.
        let late = try await harness.post(#"{"audience":{"topic":"solo"},"message":{"body":"Two"}}"#, key: "late")
        try await harness.cutOffRebuild(at: task)
        let said = try await harness.rebuild()
        #expect(said.last?.contains("; 1 to be resolved;") == true, "\(said)")

        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect((300...KillStory.devices).contains(report.targeted))
        #expect(report[.delivered] + report[.unknown] == report.targeted)
        #expect(report[.delivered] > 0)
        #expect(try await harness.delivered() >= report[.delivered])
        // The devices reported as delivered are those whose result was on the bus.
        let endings = try await harness.endings(of: task, report.targeted)
        #expect(endings.values.count { $0.state == .delivered } == report[.delivered])
        #expect(endings.values.count { $0.reason == "ledger lost" } == report[.unknown])

        // The idempotency key is lost, but the task is the same; so is the task that was closed before.
        #expect(try await harness.post(broadcast, key: "broadcast") == task)
        #expect(
            try await harness.post(#"{"audience":{"topic":"solo"},"message":{"body":"One"}}"#, key: "solo") == solo)
        let lateReport = try #require(await harness.reports.report(of: late), "\(harness.lines)")
        #expect(lateReport[.delivered] == 1 && lateReport.targeted == 1)
        let next = try await harness.ingest.post(broadcast)
        let nextReport = try #require(await harness.reports.report(of: next), "\(harness.lines)")
        #expect(nextReport[.delivered] == KillStory.devices && nextReport.targeted == KillStory.devices)
        for id in [task, solo] {
            let state = try await harness.ingest.task(id)["state"]?.text
            #expect(state == "closed", "\(id == solo ? "solo" : "broadcast")")
            #expect(Set(harness.reports.all(of: id).map(\.id)).count == 1)
        }
        #expect(try await harness.sum("repeated") == 0)
        try await harness.close()
    }

    /// There is nothing to rebuild from: the bus is lost too. Services keep running, and only ingest-api, which creates
    /// the registry, is restarted by an operator who accepts the loss of the devices.
    @Test func theEmbeddedPipelineStartsEmpty() async throws {
        let harness = try await Harness(.embedded)
        _ = try await harness.ingest.register(TestDevice.mixture(KillStory.devices))
        try await harness.slowProviders()
        _ = try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"There"}}"#)
        try await harness.hasDelivered(300)
        try await harness.emptyRedis()
        #expect(try await harness.ingest.answers(503, path: "/apps/news/subscriber/AAAAAAAAAAA"))
        let ingest = try harness.process("ingest-api")
        #expect(await ingest.stop() == .exited(0))
        try await ingest.start()
        #expect(try await harness.ingest.answers(404, path: "/apps/news/subscriber/AAAAAAAAAAA"))
        _ = try await harness.ingest.register(TestDevice.mixture(30))
        let next = try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"Again"}}"#)
        let report = try #require(await harness.reports.report(of: next), "\(harness.lines)")
        #expect(report[.delivered] == 30 && report.targeted == 30)
        #expect(try await harness.sum("repeated") == 0)
        try await harness.close()
    }
}

extension Harness {
    fileprivate func post(_ task: String, key: String) async throws -> TaskID {
        let response = try await ingest.send(
            "POST", "/apps/news/v1/tasks", body: task, headers: ["Idempotency-Key: \(key)"])
        guard response.status == 201, let id = try JSON(response.body)["id"]?.text.flatMap({ TaskID($0) }) else {
            throw SetupError(description: "the task was not accepted: \(response.status) \(response.text)")
        }
        return id
    }

    /// Waits until a result of the task is on the bus: a sender sends results after it has processed a batch.
    fileprivate func hasResult(of task: TaskID) async throws {
        try await waitUntil {
            var isThere = false
            try await bus.scan(Topics.results.channel) { message in
                isThere = try ResultBatch(decoding: message.value).task == task
                return !isThere
            }
            return isThere
        }
    }

    /// The first result of each device of the task, once this many are known.
    fileprivate func endings(of task: TaskID, _ count: Int) async throws -> [DeviceID: DeviceResult] {
        var endings: [DeviceID: DeviceResult] = [:]
        try await bus.scan(Topics.results.channel) { message in
            let batch = try ResultBatch(decoding: message.value)
            guard batch.task == task else { return true }
            for result in batch.results where endings[result.device] == nil { endings[result.device] = result }
            return true
        }
        guard endings.count == count else {
            throw SetupError(description: "\(endings.count) devices have a result, expected \(count)")
        }
        return endings
    }
}
