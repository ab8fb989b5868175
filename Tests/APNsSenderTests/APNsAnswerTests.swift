import ProviderKit
import ServiceKit
import TestSupport
import Testing

@testable import APNsSender
@testable import HTTP2

@Suite struct APNsAnswerTests {
    /// If the body is not Apple's, the sender judges by the status.
    @Test(arguments: [
        "", "{", "null", "[]", "[[[[[[[[1]]]]]]]]", "\"reason\"", #"{"reason":7}"#, #"{"reason":null,"timestamp":"x"}"#,
        #"{"timestamp":1e400}"#, "<html>", "\u{0}\u{FF}",
    ])
    func bodiesThatMakeNoSense(body: String) {
        let gone = APNsAnswer.answer(response(410, body: body))
        #expect(gone.verdict == .invalidDevice(since: nil))
        #expect(gone.reason == "")
        #expect(APNsAnswer.answer(response(400, body: body)).verdict == .payloadRejected)
        #expect(APNsAnswer.answer(response(200, body: body)).verdict == .delivered)
    }

    @Test(arguments: ["-1", "0", "1.5", "18446744073709551615", "1e18", "true"])
    func momentsThatAreNone(moment: String) {
        let answer = APNsAnswer.answer(response(410, body: #"{"reason":"Unregistered","timestamp":\#(moment)}"#))
        #expect(answer.verdict == .invalidDevice(since: nil))
    }

    @Test func aMomentFarAheadIsTakenAsItIs() {
        let answer = APNsAnswer.answer(response(410, body: #"{"timestamp":9223372036854775807}"#))
        #expect(answer.verdict == .invalidDevice(since: Timestamp(milliseconds: .max)))
    }

    @Test func aLongReasonIsCut() {
        let reason = String(repeating: "é", count: 1_000)
        #expect(APNsAnswer.answer(response(400, body: #"{"reason":"\#(reason)"}"#)).reason.utf8.count == 64)
        let endless = #"{"reason":"\#(String(repeating: "x", count: 60_000))"}"#
        #expect(APNsAnswer.answer(response(400, body: endless)).reason == "")
    }

    @Test(arguments: Dice.seeds) func noiseIsRead(seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<2_000 {
            let body =
                dice.chance(1, of: 2)
                ? dice.bytes(dice.number(below: 64))
                : Array(dice.text(0...40, of: #"{}[]":,reason timestamp0123456789.eE-\"#).utf8)
            let status = 100 + dice.number(below: 900)
            let answer = APNsAnswer.answer(HTTP2Response(status: status, headers: [:], body: body, isTruncated: false))
            #expect(Int(answer.status) == status)
        }
    }

    @Test(arguments: ["-1", "soon", "99999999999999999999", "", "1.5"])
    func aRetryAfterThatIsNoneCountsForNothing(text: String) {
        let odd = HTTP2Response(status: 503, headers: ["retry-after": text], body: [], isTruncated: false)
        #expect(APNsAnswer.answer(odd).verdict == .retryLater(APNsErrorTable.ownFault))
    }

    @Test func aRetryAfterIsKnownForApplesOwnWord() {
        let headers: HTTP2Headers = ["retry-after": "30"]
        let outage = HTTP2Response(status: 503, headers: headers, body: [], isTruncated: false)
        let device = HTTP2Response(status: 429, headers: headers, body: [], isTruncated: false)
        let asked = RetryAdvice(floor: .seconds(30), isAsked: true)
        #expect(APNsAnswer.answer(outage).verdict == .retryLater(asked))
        #expect(APNsAnswer.answer(device).verdict == .throttled(.device, asked))
    }

    /// An operator has to correct the settings, so the app is halted and its devices are kept.
    @Test func wrongSettingsAreNoOutage() {
        let outcome = APNsAnswer.outcome(.notSent(HTTP2Error(.misconfigured, message: "no such certificate")))
        #expect(outcome == .answered(ProviderAnswer(.misconfigured, reason: "no such certificate", status: 0)))
        #expect(APNsAnswer.outcome(.notSent(HTTP2Error(.refused, message: "busy"))) == .notSent("busy"))
        #expect(APNsAnswer.outcome(.unknown(HTTP2Error(.broken, message: "cut"))) == .unknown("cut"))
    }

    private func response(_ status: Int, body: String) -> HTTP2Response {
        HTTP2Response(status: status, headers: [:], body: Array(body.utf8), isTruncated: false)
    }
}
