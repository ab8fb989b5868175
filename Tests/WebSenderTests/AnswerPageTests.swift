import ProviderKit
import ServiceKit
import TestSupport
import Testing

@testable import WebSender

/// The tables of answers stand in the documentation as they stand in the code.
@Suite struct AnswerPageTests {
    private static let page = "docs/failures-providers.md"

    @Test(arguments: [
        ("### Answers of push services", WebPushErrorTable.table), ("### Answers of WNS", WNSErrorTable.table),
        ("### Answers of MPNS", MPNSErrorTable.table),
        ("### Answers of publishers' servers", HTTPPushErrorTable.table),
    ])
    func eachAnswerIsDocumented(heading: String, table: AnswerTable) throws {
        let page = try #require(SourceTree.text(AnswerPageTests.page))
        let documented = MarkdownTable.rows(under: heading, inPage: page)
        let expected = table.rows.map { [AnswerPageTests.answer($0), AnswerPageTests.effect($0.verdict), $0.why] }
        #expect(documented == expected)
    }

    private static func answer(_ row: AnswerTable.Row) -> String {
        let statuses = row.statuses
        let status = statuses.count == 1 ? "\(statuses.lowerBound)" : "\(statuses.lowerBound)–\(statuses.upperBound)"
        return row.word.map { "\(status) `\($0)`" } ?? status
    }

    private static func effect(_ verdict: ProviderAnswer.Verdict) -> String {
        switch verdict {
        case .delivered: "delivered"
        case .invalidDevice: "the device is removed"
        case .suspectDevice: "counts towards `failures_before_unregistering`"
        case .retryLater(let advice): "retried" + wait(advice)
        case .throttled(_, let advice): "retried" + wait(advice)
        case .refreshAuthorization: "sent again with a new token; then the app is halted"
        case .misconfigured: "the app is halted"
        case .payloadRejected: "failed"
        }
    }

    private static func wait(_ advice: RetryAdvice) -> String {
        let wait = advice.waits.first?.lowerBound ?? advice.floor
        return wait == .zero ? "" : " after \(wait.components.seconds) s or later"
    }
}
