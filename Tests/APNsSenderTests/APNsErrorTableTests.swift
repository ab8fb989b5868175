import HTTP2
import ProviderKit
import ServiceKit
import TLSSocket
import TestSupport
import Testing

@testable import APNsSender

/// Apple's table of answers, each row through a real connection: from status and JSON to the verdict.
@Suite struct APNsErrorTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String
        let verdict: ProviderAnswer.Verdict
        var endsConnection = false
        var mayBeProcessed = false

        var testDescription: String { "\(status) \(reason)" }
    }

    private static let minute = RetryAdvice(floor: .seconds(60))
    private static let fault = APNsErrorTable.ownFault
    static let death = Timestamp(milliseconds: 1_700_000_000_000)

    static let rows: [Row] =
        [Row(status: 200, reason: "", verdict: .delivered)]
        + ["BadDeviceToken", "DeviceTokenNotForTopic"].map {
            Row(status: 400, reason: $0, verdict: .invalidDevice(since: nil))
        }
        + [
            "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
            "InvalidPushType", "PayloadEmpty", "MissingDeviceToken", "NeverHeardOf",
        ].map { Row(status: 400, reason: $0, verdict: .payloadRejected) }
        + ["BadTopic", "MissingTopic", "TopicDisallowed"].map {
            Row(status: 400, reason: $0, verdict: .misconfigured)
        }
        + [
            Row(status: 400, reason: "IdleTimeout", verdict: .retryLater(.soon), endsConnection: true),
            Row(status: 403, reason: "ExpiredProviderToken", verdict: .refreshAuthorization, endsConnection: true),
            Row(status: 403, reason: "InvalidProviderToken", verdict: .refreshAuthorization),
            Row(status: 403, reason: "UnrelatedKeyIdInToken", verdict: .retryLater(.soon), endsConnection: true),
        ]
        + [
            "MissingProviderToken", "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken",
            "BadEnvironmentKeyInToken", "Forbidden", "NeverHeardOf",
        ].map { Row(status: 403, reason: $0, verdict: .misconfigured) }
        + [
            Row(status: 404, reason: "BadPath", verdict: .payloadRejected),
            Row(status: 405, reason: "MethodNotAllowed", verdict: .payloadRejected),
            Row(status: 410, reason: "Unregistered", verdict: .invalidDevice(since: death)),
            Row(status: 410, reason: "ExpiredToken", verdict: .invalidDevice(since: death)),
            Row(status: 413, reason: "PayloadTooLarge", verdict: .payloadRejected),
            Row(status: 418, reason: "NeverHeardOf", verdict: .payloadRejected),
            Row(status: 429, reason: "TooManyRequests", verdict: .throttled(.device, minute)),
            Row(status: 429, reason: "TooManyProviderTokenUpdates", verdict: .throttled(.app, minute)),
            Row(status: 500, reason: "InternalServerError", verdict: .retryLater(fault), mayBeProcessed: true),
            Row(status: 503, reason: "ServiceUnavailable", verdict: .retryLater(fault)),
            Row(status: 503, reason: "", verdict: .retryLater(fault), mayBeProcessed: true),
            Row(status: 503, reason: "Shutdown", verdict: .retryLater(.soon), endsConnection: true),
            Row(status: 599, reason: "NeverHeardOf", verdict: .retryLater(fault), mayBeProcessed: true),
            Row(status: 302, reason: "", verdict: .retryLater(fault), mayBeProcessed: true),
        ]

    /// All rows use one connection, so a row must not affect the next.
    @Test func everyRowMeansWhatAppleSays() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority) { request, _ in
            let number = Int(request.path.dropFirst("/row/".count)) ?? 0
            let row = APNsErrorTableTests.rows[number]
            guard row.status != 200 else { return .accepted }
            return .refused(
                row.status, reason: row.reason,
                timestamp: row.status == 410 ? APNsErrorTableTests.death.milliseconds : nil)
        }
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = authority.authorityFile
        let pool = HTTP2Pool(apple.endpoint, configuration: configuration, log: quietLog, metrics: Metrics())
        let outcomes = await pool.send(APNsErrorTableTests.rows.indices.map { HTTP2Request(.post, "/row/\($0)") })
        for (row, outcome) in zip(APNsErrorTableTests.rows, outcomes) {
            let expected = ProviderAnswer(
                row.verdict, reason: row.reason, status: UInt16(row.status), endsConnection: row.endsConnection,
                mayBeProcessed: row.mayBeProcessed)
            #expect(APNsAnswer.outcome(outcome) == .answered(expected), "\(row.testDescription)")
        }
        await pool.close()
        await apple.server.close()
    }

    /// Most errors of Apple concern one server: the first pause is short, later ones grow to the documented length.
    @Test func anErrorOfApplesIsTriedAgainSoon() throws {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let random = SeededRandomSource(seed: 3)
        let waits: [ClosedRange<Duration>] = [
            .seconds(10) ... .seconds(20), .seconds(60) ... .seconds(75), .seconds(300) ... .seconds(360),
            .seconds(900) ... .seconds(1_080), .seconds(900) ... .seconds(1_080),
        ]
        for (attempt, wait) in waits.enumerated() {
            var seen: Set<Int64> = []
            for _ in 0..<50 {
                let due = try #require(
                    RetrySchedule.standard.due(
                        afterAttempt: UInt8(attempt), APNsErrorTable.ownFault, now: now,
                        deadline: now + .seconds(7_200), random: random))
                #expect(wait.contains(due - now), "attempt \(attempt) waits \(due - now)")
                seen.insert(due.milliseconds)
            }
            #expect(seen.count > 40)
        }
    }

    @Test func whatAnAnswerAsksForCountsForMoreThanTheManual() {
        let verdict = APNsErrorTable.answer(
            status: 503, reason: "ServiceUnavailable", retryAfter: .seconds(7)
        ).verdict
        #expect(verdict == .retryLater(RetryAdvice(floor: .seconds(7), isAsked: true)))
        #expect(APNsErrorTable.answer(status: 200, reason: "", retryAfter: .seconds(7)).verdict == .delivered)
    }
}
