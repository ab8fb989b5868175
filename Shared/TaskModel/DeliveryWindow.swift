package import PushModel
package import ServiceKit

/// The time within which a task for one user is sent, and how its moment is chosen.
package struct DeliveryWindow: Sendable, Hashable {
    /// The raw value is used in messages and must not change.
    package enum Method: String, CaseIterable, Sendable {
        /// At a good moment, which the user's app reports; without one in time for the end of the window.
        case contextAware = "context_aware"
        /// As soon as the window opens.
        case traditional
    }

    /// The lengths that a publisher may ask for.
    package static let lengths = Duration.seconds(60)...Duration.seconds(90 * 86_400)
    private static let marginMaximum = Duration.seconds(300)

    package let opens: Timestamp
    /// Nothing is sent from here on.
    package let ends: Timestamp
    package let user: Alias
    package let method: Method
    /// True if the publisher left the choice of the method to a comparison of both.
    package let isCompared: Bool

    package init(
        from opens: Timestamp, to ends: Timestamp, user: Alias, method: Method, isCompared: Bool = false
    ) {
        self.opens = opens
        self.ends = max(opens, ends)
        self.user = user
        self.method = method
        self.isCompared = isCompared
    }

    /// True if a good moment may release the task before its time.
    package var awaitsMoment: Bool { method == .contextAware }

    /// When a good moment that lasts from now until then releases the task; nil if the window is not open during it.
    package func release(inMomentFrom now: Timestamp, until end: Timestamp) -> Timestamp? {
        let release = max(now, opens)
        return awaitsMoment && release < min(end, ends) ? release : nil
    }

    /// When the task is released if there is no better moment: early enough to be sent before the end.
    package var latestRelease: Timestamp {
        switch method {
        case .traditional: opens
        case .contextAware: max(opens, ends + (.zero - min((ends - opens) / 12, DeliveryWindow.marginMaximum)))
        }
    }
}
