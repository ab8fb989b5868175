import Bus
import Glibc
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

/// Goal: a publisher whose request was interrupted repeats it elsewhere, and no device gets it twice. Method: the bus
/// is stopped until the task is in the store, then the store until the task is on the bus; there `ingest-api` is
/// killed, after the bus write and before the response.
@Suite(.timeLimit(.minutes(10))) struct InterruptedRequestTests {
    private static let path = "/apps/news/v1/tasks"
    private static let task = #"{"audience":{"topic":"news"},"message":{"body":"There"}}"#
    private static let key = "Idempotency-Key: morning"
    private static let settings = [
        "CARILLON_INGEST_IDEMPOTENCY_LEASE": "1s",
        // A stopped store must not look like a failed one, which would be answered.
        "CARILLON_REDIS_COMMAND_DEADLINE": "30s",
    ]

    @Test(arguments: Harness.BusKind.allCases)
    func aRequestRepeatedElsewhereMakesTheSameTask(_ bus: Harness.BusKind) async throws {
        let (harness, id) = try await Self.interrupted(bus)
        let second = harness.ingests[0]
        let answer = try await Self.repeated(by: second)
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try JSON(answer.body)["id"]?.text == "\(id)")
        let report = try #require(await harness.reports.report(of: id), "\(harness.lines)")
        #expect(report[.delivered] == 3)
        #expect(try await harness.delivered() == 3)
        #expect(try await Self.listed(second) == ["\(id)"])
        try await harness.close()
    }

    /// Returns a pipeline whose first `ingest-api` was killed after the task was on the bus, before it answered.
    private static func interrupted(_ bus: Harness.BusKind) async throws -> (Harness, TaskID) {
        while true {
            let harness = try await Harness(bus, changes: settings, instances: ["ingest-api": 2], hasOwnStore: true)
            _ = try await harness.ingest.register(TestDevice.mixture(3))
            let (id, answer) = try await interrupt(harness)
            if answer == nil { return (harness, try #require(id)) }
            #expect(answer?.status == 503)
            try await harness.close()
        }
    }

    /// Returns the task on the bus, and an answer if `ingest-api` gave up on the stopped bus before it was killed: this
    /// test may be delayed for as long as that takes.
    private static func interrupt(_ harness: Harness) async throws -> (TaskID?, RawClient.Response?) {
        let tasks = try await harness.bus.makeConsumer(ConsumerOptions(channel: Topics.tasks.channel, group: "test"))
        let isAnswered = OneTimeEvent()
        harness.busServer.signal(SIGSTOP)
        let request = Task { [first = harness.ingests[0]] in
            let answer = try? await first.send("POST", path, body: task, headers: [key])
            isAnswered.happen()
            tasks.stopTaking()
            return answer
        }
        try await waitUntil {
            if isAnswered.hasHappened { return true }
            return try await !listed(harness.ingests[1]).isEmpty
        }
        harness.redis.signal(SIGSTOP)
        harness.busServer.signal(SIGCONT)
        let id = try await Self.task(in: tasks)
        try await harness.dismiss("ingest-api").kill()
        harness.redis.signal(SIGCONT)
        let answer = await request.value
        await tasks.close()
        return (id, answer)
    }

    /// Retries as a publisher should: it gets 409 as long as the first request may still be in progress.
    private static func repeated(by client: IngestClient) async throws -> RawClient.Response {
        var answer = try await client.send("POST", path, body: task, headers: [key])
        try await waitUntil {
            guard answer.status == 409 else { return true }
            answer = try await client.send("POST", path, body: task, headers: [key])
            return false
        }
        return answer
    }

    private static func listed(_ client: IngestClient) async throws -> [String] {
        let answer = try await client.send("GET", path)
        return try JSON(answer.body)["tasks"]?.elements?.compactMap { $0["id"]?.text } ?? []
    }

    /// Returns nil if the consumer stops before it gets a task.
    private static func task(in consumer: any BusConsumer) async throws -> TaskID? {
        guard let delivery = await consumer.next() else { return nil }
        consumer.complete(delivery)
        let message = try #require(delivery.messages.first)
        guard case .task(let task) = try TaskMessage(decoding: message.value) else {
            throw SetupError(description: "received a part instead of a task")
        }
        return task.id
    }
}
