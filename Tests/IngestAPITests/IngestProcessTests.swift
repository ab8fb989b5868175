import JSONKit
import ServiceKit
import TestSupport
import Testing
import Topics

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(5))) struct IngestProcessTests {
    private func durableRedis() async throws -> RedisServer {
        var options = RedisServer.Options()
        options.isDurable = true
        return try await RedisServer(options)
    }

    /// Goal: the examples of pushd's documentation work, and acknowledged changes survive crashes. Method: its commands
    /// in its order, with a crash of the service, and later of Redis, in between.
    @Test func pushdsDocumentationWorks() async throws {
        let redis = try await durableRedis()
        let api = try await IngestProcess(redis: redis.url)
        let registered = try await api.curl(
            "POST", "/subscribers",
            body: "proto=apns&token=\(SampleTokens.apns)&lang=fr&badge=0&category=show&contentAvailable=true")
        #expect(registered.status == 201)
        #expect(registered.json["token"] == .string(SampleTokens.apns.lowercased()))
        #expect(registered.json["badge"] == .integer(0))
        let id = try #require(registered.json["id"]?.text)

        #expect(try await api.curl("POST", "/subscriber/\(id)", body: "lang=fr&badge=0").status == 204)
        #expect(try await api.curl("POST", "/subscriber/\(id)/subscriptions/sport").status == 201)
        try await api.killAndRestart()
        #expect(try await api.curl("GET", "/subscriber/\(id)/subscriptions/sport").status == 200)
        #expect(try await api.curl("DELETE", "/subscriber/\(id)/subscriptions/sport").status == 204)
        let bulk = try await api.curl(
            "POST", "/subscriber/\(id)/subscriptions", body: "{\"sport\":{}, \"music\":{}}", json: true)
        #expect(bulk.status == 204)

        await redis.kill9()
        let away = try await api.curl("GET", "/subscriber/\(id)")
        #expect(away.status == 503)
        #expect(away.headers["retry-after"] != nil)
        try await redis.restart()
        try await api.killAndRestart()
        // The documented workflow of apps: post the token, take the id, subscribe again.
        let again = try await api.curl("POST", "/subscriber/\(SampleTokens.apns)", body: "lang=fr&badge=0&version=17.1")
        #expect(again.status == 200)
        #expect(again.json["id"] == .string(id))
        #expect(again.json["category"] == .string("show"))
        let names = try await api.curl("GET", "/subscriber/\(id)/subscriptions").json.object?.names
        #expect(names == ["music", "sport"])

        let silent = "/subscriber/\(id)/subscriptions/EVENT_NAME"
        #expect(try await api.curl("POST", silent, body: "ignore_message=1").status == 201)
        #expect(try await api.curl("GET", silent).text == #"{"ignore_message":true}"#)
        #expect(try await api.curl("DELETE", "/subscriber/\(id)").status == 204)
        #expect(try await api.curl("GET", "/subscriber/\(id)").text == "null")
        #expect(await api.stop() == .exited(0))
    }

    /// Goal: an emptied Redis is not treated as a registry without devices. Method: Redis is emptied under a running
    /// service, which must answer neither 200 nor 404.
    @Test func anEmptiedRedisIsNotReady() async throws {
        let redis = try await durableRedis()
        let api = try await IngestProcess(redis: redis.url)
        let registered = try await api.curl("POST", "/subscribers", body: "proto=apns&token=\(SampleTokens.apns)")
        let id = try #require(registered.json["id"]?.text)
        #expect(try await api.readiness().status == 200)

        try await empty(redis)
        try await expectNotReady(api, id: id, reason: "registry: the registry is missing")
        #expect(await api.stop() == .exited(0))
    }

    /// Goal: a single ingest-api registers devices again within seconds of a crash. Method: it is killed with default
    /// settings, and the time to the next registration is measured; Kafka detects other lost members after 45 s.
    @Test func aCrashStopsRegistrationsOverKafkaForSecondsAlone() async throws {
        let kafka = try await KafkaMockServer(brokers: 1)
        try await kafka.perform("create topic registry \(Topics.registry.declaration.partitions.kafka)")
        let redis = try await RedisServer()
        let api = try await IngestProcess(redis: redis.url, bus: kafka.url, kafkaSession: "")
        func register(_ digit: String) async throws -> Bool {
            let token = String(repeating: digit, count: 64)
            return 200...201 ~= (try await api.curl("POST", "/subscribers", body: "proto=apns&token=\(token)").status)
        }
        #expect(try await waitUntil(within: .hangLimit) { try await register("a") })
        try await api.killAndRestart()
        // Well below the 45 s.
        #expect(try await waitUntil(within: .seconds(30)) { try await register("b") })
    }

    /// Goal: the same with changes that go through the log. Method: a device registers and subscribes over mock Kafka
    /// brokers, each request seeing the effect of the previous one; then Redis is emptied.
    @Test func worksOverKafka() async throws {
        let kafka = try await KafkaMockServer(brokers: 1)
        try await kafka.perform("create topic registry \(Topics.registry.declaration.partitions.kafka)")
        let redis = try await durableRedis()
        let api = try await IngestProcess(redis: redis.url, bus: kafka.url)
        try await api.logged("empty registry created: the registry log is empty")
        let form = "proto=apns&token=\(SampleTokens.apns)&badge=3"
        let registered = try await api.settledCurl("POST", "/subscribers", body: form)
        #expect([200, 201].contains(registered.status))
        let id = try #require(registered.json["id"]?.text)
        let subscribed = try await api.settledCurl("POST", "/subscriber/\(id)/subscriptions/sport")
        #expect([201, 204].contains(subscribed.status))
        #expect(try await api.settledCurl("POST", "/subscriber/\(id)", body: "lang=fr").status == 204)
        let read = try await api.curl("GET", "/subscriber/\(id)")
        #expect(read.json["lang"] == .string("fr"))
        #expect(read.json["badge"] == .integer(3))
        #expect(try await api.curl("GET", "/subscriber/\(id)/subscriptions/sport").status == 200)
        #expect(try await api.readiness().status == 200)
        await command("CONFIG SET appendfsync everysec", to: redis)
        #expect(try await api.readiness().text.contains("set appendfsync always"))
        await command("CONFIG SET appendfsync always", to: redis)
        try await empty(redis)
        try await expectNotReady(api, id: id, reason: "run carillon rebuild")
        #expect(await api.stop() == .exited(0))
    }

    /// Goal: `limits.devices` holds over two processes and a crash. Method: they register alternately up to the limit.
    @Test(arguments: [false, true])
    func theLimitOfDevicesHoldsOverProcesses(isKafka: Bool) async throws {
        let kafka = isKafka ? try await KafkaMockServer(brokers: 1) : nil
        try await kafka?.perform("create topic registry \(Topics.registry.declaration.partitions.kafka)")
        let redis = try await durableRedis()
        let first = try await IngestProcess(redis: redis.url, bus: kafka?.url, devices: 6)
        let second = try await IngestProcess(redis: redis.url, bus: kafka?.url, devices: 6)
        func register(_ number: Int, at api: IngestProcess) async throws -> RawClient.Response {
            let token = String(repeating: "\(number)", count: 64)
            return try await api.settledCurl("POST", "/subscribers", body: "proto=apns&token=\(token)")
        }
        for number in 0..<6 {
            let registered = try await register(number, at: number % 2 == 0 ? first : second)
            #expect(200...201 ~= registered.status, "\(number): \(registered.text)")
        }
        for api in [first, second] {
            let refused = try await register(6, at: api)
            #expect(refused.status == 403 && refused.error == "Too many devices", "\(refused.text)")
        }
        try await first.killAndRestart()
        #expect(try await register(7, at: first).status == 403)
        let known = try await register(0, at: second)
        #expect(known.status == 200, "a known token: \(known.text)")
        let id = try #require(known.json["id"]?.text)
        let deleted = try await second.settledCurl("DELETE", "/subscriber/\(id)")
        #expect(deleted.status == 204 || isKafka && deleted.status == 404, "\(deleted.text)")
        let registered = try await register(8, at: first)
        #expect(200...201 ~= registered.status, "\(registered.text)")
        #expect(try await register(9, at: second).status == 403)
        #expect(await first.stop() == .exited(0))
        #expect(await second.stop() == .exited(0))
    }

    private func empty(_ redis: RedisServer) async throws {
        await command("FLUSHALL", to: redis)
    }

    private func command(_ line: String, to redis: RedisServer) async {
        let answer = await blocking { [port = redis.port] in
            let client = RawClient(port: port)
            client.send("\(line)\r\n")
            return client.receive(through: "\r\n")
        }
        #expect(answer == "+OK\r\n")
    }

    private func expectNotReady(_ api: IngestProcess, id: String, reason: String) async throws {
        for (method, path, body) in StoreFailureTests.requests {
            for id in [id, "J8lHY4X1XkU"] {
                let response = try await api.curl(method, path.replacing("ID", with: id), body: body)
                #expect(response.status == 503, "\(method) \(path)")
                #expect(response.error == "The registry is not ready")
            }
        }
        let readiness = try await api.readiness()
        #expect(readiness.status == 503)
        #expect(readiness.text.contains(reason), "\(readiness.text)")
    }
}
