import PushModel
import ServiceKit
import Testing
import Topics

@Suite struct WebhookPostTests {
    private static let task = TaskID(high: 1, low: 2)
    private static let since = Timestamp(milliseconds: 1_800_000_000_123)

    @Test func whatIsPostedIsReadBackByItsKind() throws {
        let app = try AppID("news")
        let body = Array(#"[{"user_id":"é\"\u0001","content":{"badge":1.5,"big":12345678901234567890}},{}]"#.utf8)
        for event in WebhookEvent.allCases {
            let states = WebhookPost.states(
                StatePost(event, id: "states/1", app: app, count: 2, since: Self.since, body: body))
            #expect(try WebhookPost(decoding: states.encoded()) == states && states.app == app)
        }
        let report = WebhookPost.report(
            ReportPost(task: Self.task, app: app, closed: Self.since, body: Array(#"{"a":[]}"#.utf8)))
        #expect(try WebhookPost(decoding: report.encoded()) == report)
        #expect(report.app == app)
    }

    @Test func anAcceptanceIsReadBack() throws {
        let acceptance = MessageAcceptance(task: Self.task, app: try AppID("news"))
        #expect(try MessageAcceptance(decoding: acceptance.encoded()) == acceptance)
        #expect(
            String(decoding: acceptance.encoded(), as: UTF8.self)
                == #"{"version":1,"task":"\#(Self.task)","app":"news"}"#)
    }

    @Test(arguments: [
        "", "{}", "[]", "\u{0}", #"{"version":2}"#, #"{"version":1,"kind":"other","id":"a"}"#,
        #"{"version":1,"kind":"message_status","id":"a","app":"news","since":"2027-01-15T08:00:00Z","body":{}}"#,
        #"{"version":1,"kind":"message_status","id":"a\n","app":"news","since":"2027-01-15T08:00:00Z","body":[]}"#,
        #"{"version":1,"kind":"message_status","id":"","app":"news","since":"2027-01-15T08:00:00Z","body":[]}"#,
    ])
    func otherBytesAreRefused(text: String) {
        #expect(throws: MalformedMessageError.self) { try WebhookPost(decoding: Array(text.utf8)) }
        #expect(throws: MalformedMessageError.self) { try MessageAcceptance(decoding: Array(text.utf8)) }
    }
}
