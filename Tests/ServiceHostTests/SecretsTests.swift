import ServiceKit
import TestSupport
import Testing
import Topics

/// A service's output goes to files and dashboards: it must never contain a password, whether or not the service fails.
@Suite struct SecretsTests {
    private static let password = "hunter2-of-the-tower"

    /// Goal: no output from start to end contains the password, and every line is one JSON object with the members that
    /// log collectors rely on.
    @Test func aPasswordIsNeverPrinted() async throws {
        let server = try await TestBus.durableRedis(password: Self.password)
        let url = "redis://default:\(Self.password)@127.0.0.1:\(server.port)/1"
        let probe = try ProbeService(
            bus: url, topic: TestTopics.make(partitions: 1), settings: ["CARILLON_LOG_LEVEL": "debug"])
        try await TestBus.send("hello", to: probe.topic, at: url)
        try await probe.printed("handled hello")
        #expect(try await probe.logged("starting")["address"] == "redis://127.0.0.1:\(server.port)")
        #expect(try await probe.get("/readyz").status == 200)
        await server.stop()
        let away = try await probe.get("/readyz")
        #expect(away.status == 503 && !away.text.contains(Self.password))
        probe.process.signal(15)
        #expect(await probe.process.end() == .exited(0))

        #expect(!probe.logLines.isEmpty)
        for line in probe.logLines {
            let members = try #require(ProbeService.members(of: line), "no JSON object: \(line)")
            #expect(members.keys.contains("time") && members.keys.contains("level") && members.keys.contains("message"))
            #expect(members["service"] == "bus-probe")
            #expect(!line.contains(Self.password))
        }
    }

    @Test func aWrongPasswordIsNotPrintedEither() async throws {
        let server = try await TestBus.durableRedis(password: "another")
        let probe = try ProbeService(bus: "redis://:\(Self.password)@127.0.0.1:\(server.port)")
        #expect(
            try await probe.logged("Redis is not reachable")["error"]?.contains("refuses user and password") == true)
        _ = try await probe.logged("waiting for the bus")
        let response = try await probe.get("/readyz")
        #expect(response.status == 503 && response.text.contains("refuses user and password"))
        probe.process.signal(15)
        #expect(await probe.process.end() == .exited(0))
        #expect(!(probe.process.lines + [response.text]).contains { $0.contains(Self.password) })
    }

    /// Goal: startup errors print no password either, however the URL is malformed. Method: put marks around the error
    /// in each URL; neither may be printed.
    @Test(
        arguments: ["CARILLON_BUS", "CARILLON_REDIS"],
        [
            "redis://user:hunter2/tower9@127.0.0.1:6379", "redis://user:hunter2 tower9@127.0.0.1:port",
            "redis://user:hunter2@tower9@127.0.0.1:0", "user:hunter2tower9@127.0.0.1:6379",
            "hunter2://tower9@127.0.0.1:6379", "redis://:hunter2%zztower9@127.0.0.1",
            "redis://127.0.0.1:6379/hunter2?password=tower9", "kafka://user:hunter2tower9@127.0.0.1:9092",
            "redis://user:hunter2?tower9@a,b", "redis:/user:hunter2tower9@127.0.0.1",
            "redis+cluster://u:hunter2tower9@a/3",
        ])
    func aBrokenAddressIsNotPrinted(variable: String, url: String) async throws {
        let process = try ProbeService.spawn([], settings: [variable: url, "CARILLON_ADMIN_PORT": "0"])
        #expect(await process.end() == .exited(78))
        #expect(process.lines.contains { $0.hasPrefix("\(variable): ") })
        #expect(!process.lines.contains { $0.contains("hunter2") || $0.contains("tower9") }, "\(process.lines)")
    }
}
