import ServiceKit

/// Decides from what came of pushes whether a provider is in an outage for an app, rather than in trouble with a few
/// devices. Pure: times are uptimes handed in.
///
/// An outage has lasted for a moment at least, so that one broken connection or one burst of errors is none; then either
/// nothing but failures came in a row, or most of what came lately failed.
package struct OutageDetector: Sendable {
    /// What one batch of pushes says.
    package struct Batch: Sendable, Equatable {
        package var answers = 0
        package var failures = 0

        package init(answers: Int, failures: Int) {
            self.answers = answers
            self.failures = failures
        }

        /// A batch without any answer is one failure: a connection that broke says nothing about each of its pushes. So is
        /// one whose pushes went in one request.
        package init(_ outcomes: [PushOutcome], isOneRequest: Bool) {
            for case .answered(let answer) in outcomes {
                answers += 1
                if answer.isProvidersFailure { failures += 1 }
            }
            if answers == 0, !outcomes.isEmpty { (answers, failures) = (1, 1) }
            if isOneRequest { (answers, failures) = (min(answers, 1), answers > failures ? 0 : min(failures, 1)) }
        }

        /// Whether the provider worked on at least one of them.
        package var hasWorked: Bool { answers > failures }
    }

    private static let failuresMinimum = 20
    private static let duration = Duration.seconds(1)
    private static let window = Duration.seconds(2)
    /// Since the last answer that was no failure.
    private var failuresInRow = 0
    private var failingSince: Duration?
    private var recent = RecentAnswers(within: OutageDetector.window)

    package init() {}

    /// Whether there is an outage now.
    package mutating func note(_ batch: Batch, at now: Duration) -> Bool {
        guard batch.answers > 0 else { return false }
        recent.note(batch.answers, troubled: batch.failures, at: now)
        failuresInRow = batch.hasWorked ? 0 : failuresInRow + batch.failures
        let isMostly = recent.areMostlyTroubled(at: now)
        guard isMostly || failuresInRow > 0 else {
            failingSince = nil
            return false
        }
        let since = failingSince ?? now
        failingSince = since
        guard now - since >= OutageDetector.duration else { return false }
        let isLong = failuresInRow >= OutageDetector.failuresMinimum
        return isLong || isMostly && recent.troubled(at: now) >= OutageDetector.failuresMinimum
    }
}

extension ProviderAnswer {
    /// The provider, or a gateway before it, could not work on the push: nothing that the push or its device is to blame
    /// for.
    var isProvidersFailure: Bool {
        switch verdict {
        case .retryLater, .throttled: status >= 500
        case .delivered, .invalidDevice, .refreshAuthorization, .misconfigured, .payloadRejected: false
        }
    }
}
