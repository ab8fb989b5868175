import Bus
import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import WebSender

/// What operators see of servers that fail.
@Suite(.timeLimit(.minutes(3))) struct OriginMetersTests {
    private static let services = "push.example,*.wide.example"
    private let metrics = Metrics()
    private let time = ManualTimeSource()
    private let meters: OriginMeters
    private let failingServers: MemoryFailingServers
    private let news: AppID

    init() throws {
        let services = try #require(PushServiceList(OriginMetersTests.services))
        news = try AppID("news")
        failingServers = MemoryFailingServers(time: time)
        meters = OriginMeters(metrics, kind: .webpush, services: services)
    }

    private var failing: Int { metrics.gauge(.webServersFailing, labels: ["provider": "webpush"]).value }

    private func service(_ host: String) -> Int {
        metrics.gauge(.webPushServicesFailing, labels: ["provider": "webpush", "host": host]).value
    }

    private func changes(_ change: String) -> Int {
        metrics.counter(.webServerChanges, labels: ["provider": "webpush", "to": change]).value
    }

    /// The gate of one app.
    private func gate(originsMaximum: Int = 4_096) -> OriginGate {
        var settings = OriginSettings()
        settings.originsMaximum = originsMaximum
        return OriginGate(
            inFlightMaximum: 100, settings: settings, time: time, random: SeededRandomSource(seed: 4),
            failures: OriginFailures(
                meters, notes: FailingServerNotes(of: news, store: failingServers, time: time)))
    }

    private func send(_ count: Int = 1, to host: String, through gate: OriginGate, outcome: PushOutcome) async {
        for _ in 0..<count {
            #expect(await gate.admit(1, lane: .bulk) == .admitted(1))
            _ = await gate.send(pushes(["https://\(host)/1"])) { pushes, _ in pushes.map { _ in outcome } }
        }
    }

    private func fail(_ host: String, through gate: OriginGate) async {
        await send(3, to: host, through: gate, outcome: .notSent("connection refused"))
    }

    @Test func aServerCountsFromItsFailureToItsRecovery() async {
        let gate = gate()
        await send(2, to: "a.example", through: gate, outcome: .notSent("connection refused"))
        #expect(failing == 0 && changes("failing") == 0)
        await send(to: "a.example", through: gate, outcome: .notSent("connection refused"))
        #expect(failing == 1 && changes("failing") == 1 && changes("recovered") == 0)
        // A failed probe changes nothing.
        time.advance(by: .seconds(10))
        await send(to: "a.example", through: gate, outcome: .unknown("no answer"))
        #expect(failing == 1 && changes("failing") == 1)
        time.advance(by: .seconds(20))
        await send(to: "a.example", through: gate, outcome: .delivered)
        #expect(failing == 0 && changes("failing") == 1 && changes("recovered") == 1)
    }

    /// Goal: servers that are forgotten while they fail do not count any more. Method: a ninth server in a table of
    /// eight, all of which fail.
    @Test func aForgottenServerDoesNotCount() async {
        let gate = gate(originsMaximum: 8)
        for number in 0..<8 {
            await fail("\(number).wide.example", through: gate)
            time.advance(by: .milliseconds(1))
        }
        #expect(failing == 8)
        await send(to: "new.example", through: gate, outcome: .delivered)
        #expect(gate.originsRemembered == 8 && failing == 7)
        #expect(changes("failing") == 8 && changes("recovered") == 0)
    }

    /// Goal: the failures of apps add up, and those of an app end with its gateway.
    @Test func appsAddUpUntilTheyAreRemoved() async {
        let first = gate()
        do {
            let second = gate()
            for gate in [first, second] { await fail("push.example", through: gate) }
            await fail("b.example", through: second)
            #expect(failing == 3 && service("push.example") == 1)
        }
        #expect(failing == 1 && service("push.example") == 1)
        time.advance(by: .seconds(10))
        await send(to: "push.example", through: first, outcome: .delivered)
        #expect(failing == 0 && service("push.example") == 0)
    }

    /// Goal: devices that invent hosts of a listed domain cannot make its service look failed, and no device adds a
    /// label. Method: one host that has worked, one that has answered with errors only, and one of each kind that
    /// is not listed.
    @Test func onlyHostsThatWorkedStandForTheirDomain() async {
        let gate = gate()
        await fail("invented.wide.example", through: gate)
        await send(20, to: "errors.wide.example", through: gate, outcome: .serverError)
        await fail("wide.example", through: gate)
        await fail("push.example:8443", through: gate)
        #expect(failing == 4 && service("*.wide.example") == 0 && service("push.example") == 0)
        await send(to: "real.wide.example", through: gate, outcome: .delivered)
        await fail("real.wide.example", through: gate)
        #expect(failing == 5 && service("*.wide.example") == 1)
        time.advance(by: .seconds(10))
        await send(to: "invented.wide.example", through: gate, outcome: .delivered)
        #expect(failing == 4 && service("*.wide.example") == 1)
        await send(to: "real.wide.example", through: gate, outcome: .throttled(for: 1))
        #expect(failing == 3 && service("*.wide.example") == 0)
        let lines = metrics.exposition().split(separator: "\n").filter { $0.hasPrefix("carillon_web_") }
        #expect(lines.count == 5)
    }

    /// Each provider shows its metrics from the start, and its gateways count in them.
    @Test func everyProviderCounts() async throws {
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: quietLog, metrics: metrics, health: Health(time: time))
        var http = HTTPPushConfiguration()
        http.traffic.addresses = AddressPolicy(
            allowed: [try AddressRange("127.0.0.0/8"), try AddressRange("::1/128")])
        let httpProvider = HTTPPushProvider(http, failingServers: failingServers, environment: environment)
        let providers: [any PushProvider] = [
            httpProvider, MPNSProvider(MPNSConfiguration(), failingServers: failingServers, environment: environment),
            WebPushProvider(WebPushConfiguration(), failingServers: failingServers, environment: environment),
            WNSProvider(
                WNSConfiguration(), tokenLimit: .seconds(30), failingServers: failingServers, environment: environment),
        ]
        try await withCleanup({ for provider in providers { await provider.close() } }) {
            let page = metrics.exposition()
            for provider in ["webpush", "wns", "mpns", "http"] {
                #expect(page.contains("carillon_web_failing_servers{provider=\"\(provider)\"} 0\n"))
                for change in ["failing", "recovered"] {
                    let labels = "{provider=\"\(provider)\",to=\"\(change)\"}"
                    #expect(page.contains("carillon_web_server_changes_total\(labels) 0\n"))
                }
            }
            for labels in [
                #"provider="webpush",host="fcm.googleapis.com""#, #"provider="webpush",host="*.push.apple.com""#,
                #"provider="wns",host="*.notify.windows.com""#,
            ] {
                #expect(page.contains("carillon_web_failing_push_services{\(labels)} 0\n"))
            }
            let gateway = httpProvider.gateway(HTTPPushCredentials(), content: nil, of: news)
            let address = "http://127.0.0.1:\(FreePort.next())/"
            for _ in 0..<3 { #expect(await gateway.deliver(pushes([address])).allSatisfy(\.isNotSent)) }
            #expect(metrics.exposition().contains("carillon_web_failing_servers{provider=\"http\"} 1\n"))
        }
    }
}
