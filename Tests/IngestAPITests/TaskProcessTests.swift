import Bus
import Glibc
import JSONKit
import PushModel
import RedisBus
import RedisClient
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

/// Tasks, with the real program and real servers.
@Suite(.timeLimit(.minutes(5))) struct TaskProcessTests {
    private static let body = #"{"audience":{"topic":"news"},"message":{"title":"Hello"}}"#

    private func durableRedis() async throws -> RedisServer {
        var options = RedisServer.Options()
        options.isDurable = true
        return try await RedisServer(options)
    }

    /// Returns the messages on `tasks`.
    private func tasks(on redis: RedisServer) async throws -> [IncomingMessage] {
        let time = SystemTimeSource()
        let bus = RedisBus(
            redis: try RedisConfiguration(url: redis.url), RedisBusConfiguration(),
            log: Log(service: "test", level: .error), metrics: Metrics(), health: Health(time: time), time: time,
            random: SystemRandomSource())
        let found = Monitor<[IncomingMessage]>([])
        try await bus.scan(Topics.tasks.channel) { message in
            found.change { $0.append(message) }
            return true
        }
        await bus.close()
        return found.withLock { $0 }
    }

    /// Opens a connection that receives each command that the server executes from now on.
    private func watch(_ redis: RedisServer, patience: Duration = .hangLimit) async -> RawClient {
        await blocking { [port = redis.port] in
            let client = RawClient(port: port, patience: patience)
            client.send("MONITOR\r\n")
            _ = client.receive(through: "+OK\r\n")
            return client
        }
    }

    /// Posts a task, and kills the service where the task is durable but unanswered; the store stays stopped. Returns an
    /// answer if the service gave up on the stopped server before, after a second or more: threads of this test may be
    /// delayed for as long. On one thread, since tasks are delayed for longer.
    private func crash(
        _ service: IngestProcess, posting headers: [String: String], store: RedisServer, bus: RedisServer
    ) async throws -> RawClient.Response? {
        let atStore = await watch(store)
        // After this time the service has answered.
        let atBus = await watch(bus, patience: .seconds(20))
        return try await blocking {
            Result {
                let ping = RawClient(port: store.port)
                bus.signal(SIGSTOP)
                let client = service.begin("POST", "/v1/tasks", body: Self.body, headers: headers)
                _ = try #require(atStore.receive(through: "ZADD"))
                // The server answers in order.
                ping.send("PING\r\n")
                _ = try #require(ping.receive(through: "+PONG\r\n"))
                store.signal(SIGSTOP)
                bus.signal(SIGCONT)
                _ = atBus.receive(through: "XADD")
                service.signal(SIGKILL)
                return client.receiveResponse()
            }
        }.get()
    }

    /// Returns the servers, and the second of two instances, after the first was killed where the task was durable but
    /// unanswered.
    private func crashed(
        posting headers: [String: String]
    ) async throws -> (store: RedisServer, bus: RedisServer, second: IngestProcess) {
        while true {
            let (store, bus) = (try await durableRedis(), try await durableRedis())
            let first = try await IngestProcess(redis: store.url, bus: bus.url, idempotencyLease: "1s")
            let second = try await IngestProcess(
                redis: store.url, bus: bus.url, idempotencyLease: "1s", beside: first)
            let answer = try await crash(first, posting: headers, store: store, bus: bus)
            store.signal(SIGCONT)
            guard let answer else { return (store, bus, second) }
            #expect(answer.status == 503, "\(answer.text)")
        }
    }

    /// Goal: an accepted task is on the bus, can be read, and survives a crash of the service.
    @Test func aTaskIsDurableWhenItIsAnswered() async throws {
        let redis = try await durableRedis()
        let api = try await IngestProcess(redis: redis.url)
        let posted = try await api.curl("POST", "/v1/tasks", body: Self.body, json: true)
        #expect(posted.status == 201, "\(posted.text)")
        try await api.killAndRestart()
        let location = try #require(posted.headers["location"])
        let status = try await api.curl("GET", location)
        #expect(status.json["id"] == posted.json["id"])
        #expect(status.json["state"] == .string("accepted"))
        let listed = try await api.curl("GET", "/v1/tasks").json["tasks"]?.elements ?? []
        #expect(listed.map { $0["id"] } == [posted.json["id"]])
        let messages = try await tasks(on: redis)
        #expect(messages.count == 1)
        #expect(await api.stop() == .exited(0))
    }

    /// Goal: a publisher without an answer repeats its request at any instance and makes one task. Method: the bus has
    /// its own server, so that the service stops where the task is durable but unanswered: once the content is stored,
    /// the store is stopped; then the bus continues and takes the task, and the service is killed before it stores or
    /// sends an answer.
    @Test func aRepeatAfterACrashIsTheSameTask() async throws {
        let key = ["Idempotency-Key": "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""]
        let running = try await crashed(posting: key)
        let (bus, second) = (running.bus, running.second)
        let lost = try #require(try await tasks(on: bus).first)

        // Until the killed instance's lease expires, the first request may still be running.
        var again = try await second.curl("POST", "/v1/tasks", body: Self.body, json: true, headers: key)
        while again.status == 409 {
            #expect(again.headers["retry-after"] == "1")
            again = try await second.curl("POST", "/v1/tasks", body: Self.body, json: true, headers: key)
        }
        #expect(again.status == 201, "\(again.text)")
        let messages = try await tasks(on: bus)
        #expect(messages.count == 2)
        #expect(messages.allSatisfy { $0.value == lost.value && $0.key == lost.key })
        guard case .task(let task) = try TaskMessage(decoding: lost.value) else { return }
        #expect(again.json["id"] == .string("\(task.id)"))
        #expect(again.json["created"] == .string("\(task.created)"))
        let replayed = try await second.curl("POST", "/v1/tasks", body: Self.body, json: true, headers: key)
        #expect(replayed.body == again.body)
        #expect(replayed.headers["idempotency-replayed"] == "true")
        #expect(try await second.curl("GET", "/v1/tasks").json["tasks"]?.elements?.count == 1)
        #expect(try await tasks(on: bus).count == 2)
        #expect(await second.stop() == .exited(0))
    }

    /// Goal: only a durable task is accepted. Method: the bus is stopped, then the store.
    @Test func withoutABusNothingIsAccepted() async throws {
        let (store, bus) = (try await durableRedis(), try await durableRedis())
        let api = try await IngestProcess(redis: store.url, bus: bus.url)
        await bus.kill9()
        let refused = try await api.curl("POST", "/v1/tasks", body: Self.body, json: true)
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] != nil)
        #expect(try await api.curl("GET", "/v1/tasks").json["tasks"] == .array([]))
        try await bus.restart()
        #expect(try await tasks(on: bus).isEmpty)
        await store.kill9()
        let away = try await api.curl("POST", "/v1/tasks", body: Self.body, json: true)
        #expect(away.status == 503)
        #expect(try await tasks(on: bus).isEmpty)
        #expect(await api.stop() == .exited(0))
    }
}
