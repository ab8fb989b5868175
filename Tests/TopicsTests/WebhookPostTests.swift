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
        #expect(try StatusNotice(decoding: acceptance.encoded()) == .acceptance(acceptance))
        #expect(StatusNotice.acceptance(acceptance).encoded() == acceptance.encoded())
        #expect(
            String(decoding: acceptance.encoded(), as: UTF8.self)
                == #"{"version":1,"task":"\#(Self.task)","app":"news"}"#)
    }

    @Test(arguments: [nil, "é\"\u{1}"]) func aTransitionIsReadBack(user: String?) throws {
        var device = Device(tag: 7, token: try PushToken(.apns, text: String(repeating: "ab", count: 32)), created: 1)
        device.aliases[.externalUser] = user
        device.reportsMoments = user != nil
        let id = DeviceID(index: DeviceIndex(rawValue: 5), tag: 7)
        let transition = DeviceTransition(of: id, device, in: try AppID("news"), to: .ineligible, at: Self.since)
        #expect(try StatusNotice(decoding: transition.encoded()) == .transition(transition))
        #expect(StatusNotice.transition(transition).encoded() == transition.encoded())
        #expect(transition.user == user && transition.token == device.token.text)
        #expect(transition.previous == (user == nil ? .unknown : .eligible) && transition.reached == .ineligible)
    }

    /// A class that no device can have left, or reached, and a kind of a later version.
    @Test(arguments: [
        #""kind":"device_transition","previous":"ineligible","class":"eligible""#,
        #""kind":"device_transition","previous":"unknown","class":"unknown""#,
        #""kind":"device_transition","previous":"unknown""#, #""kind":"later","previous":"unknown","class":"eligible""#,
    ])
    func otherTransitionsAreRefused(members: String) {
        let rest = #""version":1,"app":"news","device":"AAAAAAAAAAA","token":"t","time":"2027-01-15T08:00:00Z""#
        let valid = #"{\#(rest),"kind":"device_transition","previous":"unknown","class":"eligible"}"#
        #expect(throws: Never.self) { try StatusNotice(decoding: Array(valid.utf8)) }
        #expect(throws: MalformedMessageError.self) {
            try StatusNotice(decoding: Array("{\(rest),\(members)}".utf8))
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "\u{0}", #"{"version":2}"#, #"{"version":1,"kind":"other","id":"a"}"#,
        #"{"version":1,"kind":"message_status","id":"a","app":"news","since":"2027-01-15T08:00:00Z","body":{}}"#,
        #"{"version":1,"kind":"message_status","id":"a\n","app":"news","since":"2027-01-15T08:00:00Z","body":[]}"#,
        #"{"version":1,"kind":"message_status","id":"","app":"news","since":"2027-01-15T08:00:00Z","body":[]}"#,
    ])
    func otherBytesAreRefused(text: String) {
        #expect(throws: MalformedMessageError.self) { try WebhookPost(decoding: Array(text.utf8)) }
        #expect(throws: MalformedMessageError.self) { try StatusNotice(decoding: Array(text.utf8)) }
    }
}
