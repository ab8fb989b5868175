/// The ages at which a token may be used, should be renewed, and may be replaced.
package struct TokenWindow: Sendable, Equatable {
    /// A younger token is not replaced, even if a provider refuses it: another one would be refused as well, and
    /// providers penalize frequent requests.
    package let replaceableAge: Duration
    /// Renewed at a random age within, so that senders do not renew together; meanwhile the old one is used.
    package let renewalAges: ClosedRange<Duration>
    /// From this age on the token is not used.
    package let usableAge: Duration

    package init(replaceableAge: Duration, renewalAges: ClosedRange<Duration>, usableAge: Duration) {
        precondition(
            .zero < replaceableAge && replaceableAge <= renewalAges.lowerBound && renewalAges.upperBound <= usableAge,
            "token ages must ascend: replaceable, renewal, usable")
        self.replaceableAge = replaceableAge
        self.renewalAges = renewalAges
        self.usableAge = usableAge
    }

    /// Apple accepts a new token at most every 20 minutes and none older than 60; another lifetime has the same
    /// proportions.
    package static func apns(lifetime: Duration = .seconds(3_600)) -> TokenWindow {
        TokenWindow(
            replaceableAge: lifetime / 3, renewalAges: lifetime * 3 / 4...lifetime * 5 / 6,
            usableAge: lifetime * 29 / 30)
    }

    /// For a token with the lifetime that its issuer states: renewed five minutes before its end, or in the last fifth
    /// of a short one. A lifetime below six seconds counts as six, so that the issuer is not asked without end.
    package static func oauth(lifetime: Duration) -> TokenWindow {
        let life = max(lifetime, .seconds(6))
        let replaceable = min(.seconds(60), life / 3)
        let renewal = life - min(.seconds(5 * 60), life / 5)
        let renewed = renewal + (life - renewal) / 5
        return TokenWindow(
            replaceableAge: replaceable, renewalAges: renewal...renewed,
            usableAge: max(renewed, life - .seconds(30)))
    }
}
