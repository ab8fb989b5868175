import ServiceKit

/// Decides from the outcomes of pushes whether a provider is in an outage for an app, or only fails a few devices.
/// Pure: times are uptimes passed in.
///
/// An outage lasts for a minimum time, so that one broken connection or one burst of errors is not an outage; and
/// either all answers in a row were failures, or most of the recent ones were.
package struct OutageDetector: Sendable {
    /// Answers and failures of one batch of pushes.
    package struct Batch: Sendable, Equatable {
        package var answers = 0
        package var failures = 0

        package init(answers: Int, failures: Int) {
            self.answers = answers
            self.failures = failures
        }

        /// A batch without any answer counts as one failure: a broken connection says nothing about each of its pushes.
        /// So does a failed batch whose pushes went in one request.
        package init(_ outcomes: [PushOutcome], isOneRequest: Bool) {
            for case .answered(let answer) in outcomes {
                answers += 1
                if answer.isProvidersFailure { failures += 1 }
            }
            if answers == 0, !outcomes.isEmpty { (answers, failures) = (1, 1) }
            if isOneRequest { (answers, failures) = (min(answers, 1), answers > failures ? 0 : min(failures, 1)) }
        }

        /// True if the provider processed at least one of them.
        package var hasWorked: Bool { answers > failures }
    }

    private static let failuresMinimum = 20
    private static let duration = Duration.seconds(1)
    private static let window = Duration.seconds(2)
    /// Since the last answer that was not a failure.
    private var failuresInRow = 0
    private var failingSince: Duration?
    private var recent = RecentAnswers(within: OutageDetector.window)

    package init() {}

    /// Returns true while there is an outage.
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
    /// True if the provider, or a gateway before it, could not process the push for reasons that lie neither in the
    /// push nor in its device.
    var isProvidersFailure: Bool {
        switch verdict {
        case .retryLater, .throttled: status >= 500
        case .delivered, .invalidDevice, .suspectDevice, .refreshAuthorization, .misconfigured, .payloadRejected: false
        }
    }
}
