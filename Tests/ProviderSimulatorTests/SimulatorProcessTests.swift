import HTTP2
import JSONKit
import ServiceKit
import Signing
import TLSSocket
import TestSupport
import Testing

/// The process as a user runs it: started by name, found through the line it prints.
@Suite struct SimulatorProcessTests {
    @Test func aPoolDeliversToApple() async throws {
        let simulator = try await SimulatorProcess()
        let client = try ApplePool(simulator)
        let outcomes = await client.pool.send((0..<500).map { client.push(device: $0) })
        #expect(outcomes.map(\.status) == Array(repeating: 200, count: 500))
        let statistics = try await simulator.statistics("apns")
        #expect(statistics["accepted"] == .integer(500))
        #expect(statistics["distinct_devices"] == .integer(500))
        #expect(statistics["repeated"] == .integer(0))
        let device = try await simulator.admin("GET", "/stats/apns/devices/" + ApplePool.token(7))
        #expect(device.text == "{\"deliveries\":1}\n")
        let pushes = try JSON(try await simulator.admin("GET", "/pushes/apns?limit=3").body)
        #expect(pushes.elements?.count == 3)
        #expect(pushes.elements?.first?["body"]?["aps"]?["alert"]?.text == "It rings.")
        #expect(try await simulator.admin("DELETE", "/stats").status == 204)
        #expect(try await simulator.statistics("apns")["accepted"] == .integer(0))
        await client.pool.close()
        #expect(await simulator.stop() == .exited(0))
    }

    @Test func faultsComeAndGo() async throws {
        let simulator = try await SimulatorProcess()
        let client = try ApplePool(simulator)
        let fault = try await simulator.admin(
            "POST", "/faults",
            body:
                "{\"provider\":\"apns\",\"kind\":\"answer\",\"status\":429,\"reason\":\"TooManyRequests\",\"retry_after\":2,\"next\":3}"
        )
        #expect(fault.status == 201)
        var statuses: [Int?] = []
        for number in 0..<4 { statuses.append(await client.pool.send(client.push(device: number)).status) }
        #expect(statuses == [429, 429, 429, 200])
        let loss = "{\"provider\":\"apns\",\"kind\":\"drop\",\"delivered\":true}"
        #expect(try await simulator.admin("POST", "/faults", body: loss).status == 201)
        let lost = await client.pool.send(client.push(device: 9))
        guard case .unknown = lost else {
            Issue.record("expected an unknown outcome: \(lost)")
            return
        }
        #expect(try await simulator.admin("DELETE", "/faults").status == 204)
        // The push had been delivered, so this one repeats it.
        #expect(await client.pool.send(client.push(device: 9)).status == 200)
        let statistics = try await simulator.statistics("apns")
        #expect(statistics["repeated"] == .integer(1))
        #expect(statistics["faults"]?["TooManyRequests"] == .integer(3))
        #expect(statistics["faults"]?["drop"] == .integer(1))
        await client.pool.close()
    }

    @Test func connectionsReceiveGoAway() async throws {
        let simulator = try await SimulatorProcess()
        let client = try ApplePool(simulator)
        let change = "{\"provider\":\"apns\",\"goodbye_after\":100,\"streams_max\":10}"
        #expect(try await simulator.admin("POST", "/connections", body: change).status == 204)
        let outcomes = await client.pool.send((0..<1_000).map { client.push(device: $0) })
        #expect(outcomes.map(\.status) == Array(repeating: 200, count: 1_000))
        let statistics = try await simulator.statistics("apns")
        #expect(statistics["repeated"] == .integer(0))
        guard case .integer(let connections) = statistics["connections"] else { return }
        #expect(connections >= 10)
        await client.pool.close()
    }

    @Test func theAdminAPIShortensTheAge() async throws {
        let simulator = try await SimulatorProcess()
        let client = try ApplePool(simulator, tokenAge: 10)
        #expect(await client.pool.send(client.push(device: 1)).status == 200)
        let change = "{\"provider\":\"apns\",\"age\":\"5s\"}"
        #expect(try await simulator.admin("POST", "/credentials", body: change).status == 204)
        let outcome = await client.pool.send(client.push(device: 2))
        #expect(outcome.status == 403)
        #expect(outcome.text == "{\"reason\":\"ExpiredProviderToken\"}")
        await client.pool.close()
    }

    @Test func aCertificateNeedsNoToken() async throws {
        let simulator = try await SimulatorProcess()
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = simulator.text("ca_file")
        configuration.tls.certificateFile = simulator.text("apns", "certificate_file")
        configuration.tls.privateKeyFile = simulator.text("apns", "certificate_key_file")
        let pool = HTTP2Pool(
            HTTP2Endpoint(host: "localhost", port: simulator.port("apns")), configuration: configuration, log: quietLog,
            metrics: Metrics())
        let push = HTTP2Request(.post, "/3/device/" + ApplePool.token(1), body: Array("{\"aps\":{}}".utf8))
        #expect(await pool.send(push).status == 200)
        await pool.close()
    }

    /// A third-party client does everything, from the token to the push.
    @Test func curlDeliversToGoogle() async throws {
        let simulator = try await SimulatorProcess()
        let account = try JSON(
            try #require(SmallFile.read(simulator.text("fcm", "service_account_file"), bytesMaximum: 1 << 16)))
        let assertion = try GoogleAssertion.make(account)
        let tokenURL = try #require(account["token_uri"]?.text)
        let granted = try await curl(
            simulator, url: tokenURL,
            arguments: [
                "--data-urlencode", "grant_type=" + GoogleAssertion.grantType, "--data", "assertion=" + assertion,
            ])
        let token = try #require(try JSON(granted)["access_token"]?.text)
        let project = simulator.text("fcm", "project")
        let answer = try await curl(
            simulator, url: "https://localhost:\(simulator.port("fcm"))/v1/projects/\(project)/messages:send",
            arguments: ["--header", "authorization: Bearer " + token, "--data", "{\"message\":{\"token\":\"d1\"}}"])
        #expect(try JSON(answer)["name"]?.text?.hasPrefix("projects/\(project)/messages/") == true)
        #expect(try await simulator.statistics("fcm")["accepted"] == .integer(1))
    }

    @Test func curlDeliversToHuawei() async throws {
        let simulator = try await SimulatorProcess()
        let base = "https://localhost:\(simulator.port("huawei"))"
        let secret = simulator.text("huawei", "client_secret_file")
        let client = simulator.text("huawei", "client_id")
        let granted = try await curl(
            simulator, url: base + simulator.text("huawei", "token_path"),
            arguments: [
                "--data", "grant_type=client_credentials", "--data", "client_id=" + client, "--data-urlencode",
                "client_secret@" + secret,
            ])
        let token = try #require(try JSON(granted)["access_token"]?.text)
        let answer = try await curl(
            simulator, url: base + "/v1/\(client)/messages:send",
            arguments: [
                "--header", "authorization: Bearer " + token, "--data",
                "{\"message\":{\"token\":[\"d1\",\"illegal-2\"]}}",
            ])
        #expect(try JSON(answer)["code"]?.text == "80100000")
        #expect(try await simulator.statistics("huawei")["accepted"] == .integer(1))
    }

    @Test(arguments: [
        ("/faults", "{"), ("/faults", "{\"provider\":\"apple\",\"kind\":\"drop\"}"), ("/faults", "{\"kind\":\"drop\"}"),
        ("/faults", "{\"provider\":\"apns\",\"kind\":\"drop\",\"often\":1}"),
        ("/connections", "{\"provider\":\"apns\",\"goodbye_after\":-1}"),
        ("/credentials", "{\"provider\":\"fcm\",\"age\":\"long\"}"),
    ])
    func theAdminAPINamesWhatIsWrong(path: String, body: String) async throws {
        let simulator = try await SimulatorProcess()
        #expect(try await simulator.admin("POST", path, body: body).status == 400)
        #expect(try await simulator.admin("GET", "/pushes/apple").status == 404)
    }

    @Test func aWrongSettingEndsTheStart() async throws {
        let process = try ChildProcess(
            builtExecutable("provider-simulator"), environment: ["CARILLON_SIMULATOR_APNS_PORT": "many"])
        #expect(await process.end() == .exited(78))
        #expect(await process.line { $0.contains("CARILLON_SIMULATOR_APNS_PORT") } != nil)
    }

    private func curl(_ simulator: SimulatorProcess, url: String, arguments: [String]) async throws -> String {
        let process = try ChildProcess(
            "curl",
            arguments: [
                "--silent", "--show-error", "--http2", "--max-time", "30", "--cacert", simulator.text("ca_file"),
            ]
                + arguments + [url])
        #expect(await process.end() == .exited(0), "\(process.lines)")
        return try #require(await process.line { $0.hasPrefix("{") })
    }
}
