import HTTP2
import JSONKit
import PushModel
import ServiceKit
import Signing
import TLSSocket
import TestSupport
import Testing

/// The providers of browsers and Windows devices as a process, over real connections.
@Suite struct WebSimulatorProcessTests {
    @Test func aPoolDeliversToBrowsers() async throws {
        let simulator = try await SimulatorProcess()
        let client = try await BrowserPool(simulator, names: (0..<100).map { "d\($0)" })
        let outcomes = await client.pool.send(try client.pushes(Array(client.names)))
        #expect(outcomes.map(\.status) == Array(repeating: 201, count: 100))
        let statistics = try await simulator.statistics("webpush")
        #expect(statistics["accepted"] == .integer(100) && statistics["distinct_devices"] == .integer(100))
        #expect(statistics["tasks"]?["t1"] == .integer(100))
        let shown = try JSON(try await simulator.admin("GET", "/pushes/webpush?limit=1").body)
        #expect(shown.elements?.first?["body"]?["task_id"]?.text == "t1")
        #expect(shown.elements?.first?["headers"]?["authorization"] == nil)
        let device = try await simulator.admin("GET", "/stats/webpush/devices/d7")
        #expect(device.text == "{\"deliveries\":1}\n")
        await client.pool.close()
        #expect(await simulator.stop() == .exited(0))
    }

    /// A throttled service, an outage, a lost answer: the book has what was delivered, whatever the client heard.
    @Test func faultsComeAndGo() async throws {
        let simulator = try await SimulatorProcess()
        let client = try await BrowserPool(simulator, names: ["d1", "gone-1"])
        try await simulator.addFault(
            #"{"provider":"webpush","kind":"answer","status":429,"reason":"Throttled","retry_after":2,"next":1}"#)
        try await simulator.addFault(#"{"provider":"webpush","kind":"answer","status":503,"next":1}"#)
        let throttled = await client.pool.send(try client.push("d1"))
        #expect(throttled.status == 429 && throttled.header("retry-after") == "2")
        #expect(await client.pool.send(try client.push("d1")).status == 503)
        try await simulator.addFault(#"{"provider":"webpush","kind":"drop","delivered":true,"next":1}"#)
        guard case .unknown = await client.pool.send(try client.push("d1")) else {
            Issue.record("the answer should be lost")
            return
        }
        #expect(await client.pool.send(try client.push("d1")).status == 201)
        #expect(await client.pool.send(try client.push("gone-1")).status == 410)
        let statistics = try await simulator.statistics("webpush")
        #expect(statistics["accepted"] == .integer(2) && statistics["repeated"] == .integer(1))
        #expect(statistics["refused_by_reason"]?["Gone"] == .integer(1))
        #expect(statistics["faults"]?["Throttled"] == .integer(1) && statistics["faults"]?["503"] == .integer(1))
        await client.pool.close()
    }

    @Test func theServiceLearnsItsKey() async throws {
        let simulator = try await SimulatorProcess()
        let client = try await BrowserPool(simulator, names: ["d1"])
        func accept(_ key: String) async throws -> Int {
            try await simulator.admin(
                "POST", "/credentials", body: #"{"provider":"webpush","public_key":"\#(key)"}"#
            ).status
        }
        #expect(try await accept(VAPIDKey.generated().publicText) == 204)
        #expect(await client.pool.send(try client.push("d1")).status == 403)
        #expect(try await accept(client.key.publicText) == 204)
        #expect(await client.pool.send(try client.push("d1")).status == 201)
        #expect(try await accept("BAd") == 400)
        await client.pool.close()
    }

    @Test func subscriptionsSurviveARestart() async throws {
        func subscription(_ settings: [String: String]) async throws -> JSON? {
            let simulator = try await SimulatorProcess(settings)
            let one = try JSON(try await simulator.admin("GET", "/subscriptions/d1?vendor=apple").body)
            let endpoint = simulator.text("webpush", "apple_endpoint") + "d1"
            #expect(one["endpoint"]?.text == endpoint)
            return one["keys"]
        }
        let first = try await subscription([:])
        #expect(try await subscription([:]) == first)
        #expect(try await subscription(["CARILLON_SIMULATOR_SEED": "other"]) != first)
    }

    @Test(arguments: [
        ("GET", "/subscriptions/a%20b", ""), ("GET", "/subscriptions/a?vendor=x", ""), ("POST", "/subscriptions", "{}"),
        ("POST", "/subscriptions", #"{"names":[]}"#), ("POST", "/subscriptions", #"{"names":["a b"]}"#),
        ("POST", "/subscriptions", #"{"names":["a"],"vendor":"x"}"#),
        ("POST", "/subscriptions", #"{"names":["a"],"n":1}"#),
        ("POST", "/subscriptions", "{"),
    ])
    func theAdminAPINamesWhatIsWrong(method: String, path: String, body: String) async throws {
        let simulator = try await SimulatorProcess()
        #expect(try await simulator.admin(method, path, body: body).status == 400)
    }

    /// A third-party client fetches the token and sends.
    @Test func curlDeliversToWNS() async throws {
        let simulator = try await SimulatorProcess()
        let base = "https://localhost:\(simulator.port("wns"))"
        let granted = try await simulator.curl(
            base + simulator.text("wns", "token_path"),
            arguments: [
                "--data", "grant_type=client_credentials", "--data", "scope=notify.windows.com", "--data-urlencode",
                "client_id=" + simulator.text("wns", "client_id"), "--data-urlencode",
                "client_secret@" + simulator.text("wns", "client_secret_file"),
            ])
        let token = try #require(try JSON(granted)["access_token"]?.text)
        let answer = try await simulator.curl(
            simulator.text("wns", "endpoint") + "d1",
            arguments: [
                "--header", "authorization: Bearer " + token, "--header", "x-wns-type: wns/badge", "--header",
                "content-type: text/xml", "--data", "<badge value=\"3\"/>", "--write-out", "%header{x-wns-status}\n",
            ])
        #expect(answer == "received")
        #expect(try await simulator.statistics("wns")["accepted"] == .integer(1))
    }

    @Test func curlDeliversToMPNS() async throws {
        let simulator = try await SimulatorProcess()
        let answer = try await simulator.curl(
            simulator.text("mpns", "endpoint") + "d1",
            arguments: [
                "--header", "x-notificationclass: 3", "--data", "{}", "--write-out", "%header{x-notificationstatus}\n",
            ])
        #expect(answer == "Received")
        #expect(try await simulator.statistics("mpns")["accepted"] == .integer(1))
    }

    @Test func curlDeliversASignedPushOverHTTP() async throws {
        let simulator = try await SimulatorProcess()
        let secret = try #require(
            SmallFile.read(simulator.text("http", "signing_key_file"), bytesMaximum: 1 << 10))
        let required = #"{"provider":"http","signed":true}"#
        #expect(try await simulator.admin("POST", "/credentials", body: required).status == 204)
        let body = #"{"event":"news"}"#
        let seconds = SystemTimeSource().now.milliseconds / 1_000
        let code = Hexadecimal.encode(HMACKey(secret).code(for: Array("\(seconds).\(body)".utf8)))
        let arguments = ["--header", "content-type: application/json", "--data", body, "--write-out", "%{http_code}\n"]
        let url = simulator.text("http", "endpoint") + "d1"
        let signed = ["--header", "carillon-signature: t=\(seconds),v1=\(code)"]
        #expect(try await simulator.curl(url, arguments: arguments + signed) == "204")
        #expect(try await simulator.curl(url, arguments: arguments) == #"{"error":"missing_signature"}401"#)
        #expect(try await simulator.statistics("http")["accepted"] == .integer(1))
    }
}

/// A publisher's connections to the simulated Web Push service.
private struct BrowserPool {
    let pool: HTTP2Pool
    let key: VAPIDKey
    private let headers: HTTP2Headers
    private let subscriptions: [String: Subscription]

    private struct Subscription {
        let path: String
        let keys: WebPushKeys
    }

    init(_ simulator: SimulatorProcess, names: [String]) async throws {
        key = try VAPIDKey.generated()
        let origin = "https://localhost:\(simulator.port("webpush"))"
        let token = try key.token(
            origin: origin, contact: "mailto:push@example.com", expiresAt: SystemTimeSource().now + .seconds(3_600))
        headers = [
            "authorization": "vapid t=\(token.reveal()), k=\(key.publicText)", "ttl": "60",
            "content-encoding": WebPushEncryption.contentEncoding,
        ]
        let list = #"{"names":[\#(names.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        let answer = try JSON(try await simulator.admin("POST", "/subscriptions", body: list).body)
        let found = try zip(names, answer.elements ?? []).map { name, document in
            let endpoint = try #require(document["endpoint"]?.text)
            let publicKey = try #require(document["keys"]?["p256dh"]?.text.flatMap { Base64URL.decode($0) })
            let secret = try #require(document["keys"]?["auth"]?.text.flatMap { Base64URL.decode($0) })
            let keys = try #require(WebPushKeys(publicKey: publicKey, secret: secret))
            return (name, Subscription(path: String(endpoint.dropFirst(origin.count)), keys: keys))
        }
        subscriptions = Dictionary(uniqueKeysWithValues: found)
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = simulator.text("ca_file")
        configuration.reconnectBackoff = Backoff(first: .milliseconds(5), longest: .milliseconds(50))
        pool = HTTP2Pool(
            HTTP2Endpoint(host: "localhost", port: simulator.port("webpush")), configuration: configuration,
            log: quietLog, metrics: Metrics())
    }

    var names: [String] { subscriptions.keys.sorted() }

    func push(_ name: String) throws -> HTTP2Request {
        let subscription = try #require(subscriptions[name])
        let body = try WebPushEncryption.encrypt(Array(#"{"task_id":"t1"}"#.utf8), for: subscription.keys)
        return HTTP2Request(.post, subscription.path, sharedHeaders: headers, headers: HTTP2Headers(), body: body)
    }

    func pushes(_ names: [String]) throws -> [HTTP2Request] {
        try names.map { try push($0) }
    }
}

extension SimulatorProcess {
    fileprivate func addFault(_ rule: String) async throws {
        let answer = try await admin("POST", "/faults", body: rule)
        guard answer.status == 201 else { throw SetupError(description: "no fault: \(answer.text)") }
    }

    /// Returns everything that curl prints.
    fileprivate func curl(_ url: String, arguments: [String]) async throws -> String {
        let process = try ChildProcess(
            "curl",
            arguments: ["--silent", "--show-error", "--http2", "--max-time", "30", "--cacert", text("ca_file")]
                + arguments + [url])
        let ending = await process.end()
        guard ending == .exited(0) else { throw SetupError(description: "curl failed: \(process.lines)") }
        return process.lines.joined(separator: "\n")
    }
}
