import Glibc
import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// Decisions of `carillon up` that need no process.
@Suite struct UpDecisionsTests {
    @Test func aProgramThatDiesNowAndThenIsAlwaysStartedAgain() {
        var policy = RestartPolicy()
        for _ in 0..<20 {
            let decision = policy.decide(after: .signalled(SIGKILL), lived: RestartPolicy.goodRun)
            #expect(decision == .restart(attempt: 1))
        }
    }

    @Test func aProgramThatDiesAtOnceIsGivenUp() {
        var policy = RestartPolicy()
        let decisions = (0..<RestartPolicy.quickEndsMaximum).map { _ in
            policy.decide(after: .exited(1), lived: .seconds(1))
        }
        #expect(decisions == (1..<RestartPolicy.quickEndsMaximum).map { .restart(attempt: $0) } + [.giveUp])
    }

    @Test(arguments: [Int32(64), 78])
    func aWrongSettingIsNotTriedAgain(_ code: Int32) {
        var policy = RestartPolicy()
        let decision = policy.decide(after: .exited(code), lived: .seconds(60))
        #expect(decision == .giveUp)
    }

    @Test func aTakenPortIsReplacedByAFreeOne() throws {
        var book = PortBook { $0 != 11_080 }
        let usual = try book.take(usual: 11_079)
        let other = try book.take(usual: 11_080)
        #expect(usual == 11_079)
        #expect((20_000..<30_000).contains(other))
        #expect(book.replaced.map(\.usual) == [11_080])
        #expect(book.replaced.map(\.given) == [other])
    }

    /// Neither to a second program nor to a second `carillon up`, although no program listens on it yet.
    @Test func aPortIsGivenOnce() throws {
        let port = FreePort.next()
        var book = PortBook()
        var other = PortBook()
        let given = [
            try book.take(usual: port), try book.take(usual: port), try other.take(usual: port),
        ]
        #expect(given[0] == port)
        #expect(Set(given).count == 3)
        withExtendedLifetime(book) {}
    }

    @Test func withoutAFreePortThereIsAnEnd() {
        #expect(throws: UpError("port 8080 is taken, and no free port was found")) {
            var book = PortBook { _ in false }
            _ = try book.take(usual: 8_080)
        }
    }

    @Test(arguments: [
        (#"{"level":"info","message":"running"}"#, nil),
        (#"{"ready":true,"pid":1}"#, nil),
        ("", nil),
        (
            #"{"time":"t","level":"warning","service":"s","message":"slow","topic":"tasks"}"#,
            "warning: slow (topic tasks)"
        ),
        (#"{"level":"error","message":"gone"}"#, "error: gone"),
        ("Fatal error: index\u{1B}[31m out of range", #"Fatal error: index\u{1b}[31m out of range"#),
    ])
    func ofServicesWarningsAndLastWordsAreSeen(_ line: String, seen: String?) {
        #expect(LogRemark(line, in: .service)?.text == seen)
    }

    @Test func ofRedisWarningsAreSeen() {
        #expect(LogRemark("7:M 31 Jan 2026 12:00:00.000 * Ready to accept connections", in: .redis) == nil)
        #expect(
            LogRemark("7:M 31 Jan 2026 12:00:00.000 # Out of disk", in: .redis)?.text == "warning: Out of disk")
    }

    @Test func whoSaysTooMuchIsHeldBackForAWhile() {
        var gate = RemarkGate()
        var verdicts = (0..<8).map { _ in gate.judge("renderer", at: .seconds(1)) }
        #expect(verdicts == Array(repeating: .show, count: 5) + [.sayThereIsMore, .hide, .hide])
        verdicts = [gate.judge("reporter", at: .seconds(1)), gate.judge("renderer", at: .seconds(11))]
        #expect(verdicts == [.show, .show])
    }

    @Test func aFullLogMakesRoomOnce() {
        let folder = TemporaryDirectory("logs")
        let log = BoundedLog(folder.file("a.log"), bytesMaximum: 12)
        for line in ["one", "two", "three", "four", "five"] { log.write(line: line) }
        func text(_ name: String) -> String {
            String(decoding: SmallFile.read(folder.file(name), bytesMaximum: 1_000) ?? [], as: UTF8.self)
        }
        #expect(text("a.log") == "five\n")
        #expect(text("a.log.1") == "three\nfour\n")
        BoundedLog(folder.file("a.log"), bytesMaximum: 12).write(line: "6")
        #expect(text("a.log") == "five\n6\n")
    }

    @Test func aSimulatorTellsEverythingThatSendersNeed() throws {
        let announcement = #"""
            {"ready":true,"admin":"http://127.0.0.1:1","host":"localhost","ca_file":"/s/ca.pem",
            "apns":{"port":2,"key_file":"/s/k.p8","key_id":"K","team_id":"T","topic":"com.example"},
            "fcm":{"port":3,"project":"p","service_account_file":"/s/f.json"},
            "huawei":{"port":4,"client_id":"5","client_secret_file":"/s/h","token_path":"/token"},
            "webpush":{"port":6,"endpoint":"https://localhost:6/push/"},
            "wns":{"port":7,"endpoint":"https://localhost:7/?token=","client_id":"8","client_secret_file":"/s/w",
            "token_path":"/t.srf"},"mpns":{"port":9,"endpoint":"https://localhost:9/m/"},
            "http":{"port":10,"endpoint":"https://localhost:10/d/","signing_key_file":"/s/s"}}
            """#
        let facts = try SimulatorFacts(announcement: announcement)
        #expect(facts.senderVariables["CARILLON_APNS_PORT"] == "2")
        #expect(facts.senderVariables["CARILLON_APNS_SANDBOX_CHANNEL_PORT"] == "2")
        #expect(facts.senderVariables["CARILLON_FCM_CA_FILE"] == "/s/ca.pem")
        #expect(facts.senderVariables["CARILLON_HUAWEI_TOKEN_URL"] == "https://localhost:4/token")
        #expect(facts.senderVariables["CARILLON_WEBPUSH_SERVICES"] == "localhost:6")
        #expect(facts.senderVariables["CARILLON_WNS_TOKEN_URL"] == "https://localhost:7/t.srf")
        #expect(facts.senderVariables["CARILLON_MPNS_DOMAINS"] == "localhost")
        #expect(facts.variables(of: "web-sender") == facts.senderVariables)
        #expect(facts.variables(of: "ingest-api")["CARILLON_INGEST_WNS_DOMAINS"] == "localhost")
        #expect(facts.variables(of: "reporter") == [:])
        #expect(facts.endpoints["webpush"] == "https://localhost:6/push/")
        #expect(facts.providers["apns"]?["topic"]?.text == "com.example")
        #expect(facts.providers["http"]?["signing_key_file"]?.text == "/s/s")
        #expect(facts.providers["mpns"] == .object(JSONObject()))
        #expect(facts.providers["huawei"]?["client_secret_file"]?.text == "/s/h")
        #expect(throws: UpError("provider-simulator did not announce its ca_file")) {
            try SimulatorFacts(announcement: #"{"ready":true,"host":"localhost"}"#)
        }
    }

    @Test func anAppKeepsItsKeyAndGetsAnotherOnlyWhenItIsLost() throws {
        let folder = TemporaryDirectory("up")
        let data = try DataFolder(making: folder.file("data"))
        let app = LocalApp(try AppID("demo"), in: data, time: SystemTimeSource())
        func key() -> [UInt8]? { SmallFile.read(app.keyFile, bytesMaximum: 1_000) }
        try app.prepare()
        let first = try #require(key())
        try app.prepare()
        #expect(key() == first)
        var status = stat()
        #expect(stat(app.keyFile, &status) == 0 && status.st_mode & 0o777 == 0o600)
        unlink(app.keyFile)
        try app.prepare()
        #expect(key() != first)
        #expect(key()?.starts(with: "ck_".utf8) == true)
    }
}
