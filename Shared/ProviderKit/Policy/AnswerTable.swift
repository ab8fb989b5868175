import ServiceKit

/// A provider's answers and what they mean, as data: the first row that matches decides.
package struct AnswerTable: Sendable {
    package struct Row: Sendable {
        package let statuses: ClosedRange<Int>
        /// The provider's own word in the answer; nil for any.
        package let word: String?
        package let verdict: ProviderAnswer.Verdict
        /// Why the answer is judged so.
        package let why: String

        package init(
            _ statuses: ClosedRange<Int>, word: String? = nil, _ verdict: ProviderAnswer.Verdict, why: String
        ) {
            self.statuses = statuses
            self.word = word
            self.verdict = verdict
            self.why = why
        }

        package init(_ status: Int, word: String? = nil, _ verdict: ProviderAnswer.Verdict, why: String) {
            self.init(status...status, word: word, verdict, why: why)
        }

        fileprivate func matches(_ status: Int, word: String) -> Bool {
            statuses.contains(status) && (self.word.map { $0.utf8.elementsEqual(word.utf8) } ?? true)
        }
    }

    package let rows: [Row]
    private let otherwise: ProviderAnswer.Verdict

    /// `otherwise` is the verdict on answers that no row matches, which are hardly the provider's.
    package init(_ rows: [Row], otherwise: ProviderAnswer.Verdict = .retryLater(.soon)) {
        self.rows = rows
        self.otherwise = otherwise
    }

    /// `reason` goes into reports and the ledger: the word, unless the provider explains itself.
    package func answer(
        status: Int, word: String = "", reason: String? = nil, retryAfter: Duration? = nil
    ) -> ProviderAnswer {
        let verdict = rows.first { $0.matches(status, word: word) }?.verdict ?? otherwise
        return ProviderAnswer(verdict, reason: reason ?? word, httpStatus: status, retryAfter: retryAfter)
    }
}
