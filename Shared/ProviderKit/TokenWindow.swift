/// At which ages a token may be used, should be renewed, and may be replaced.
package struct TokenWindow: Sendable, Equatable {
    /// A younger token is not replaced, even when a provider refuses it: another one would be refused as well, and
    /// providers punish those who ask too often.
    package let replaceableAge: Duration
    /// Renewed at some moment within, so that many senders do not renew at once; meanwhile the old one is used.
    package let renewalAges: ClosedRange<Duration>
    /// Not used any longer.
    package let usableAge: Duration

    package init(replaceableAge: Duration, renewalAges: ClosedRange<Duration>, usableAge: Duration) {
        precondition(
            .zero < replaceableAge && replaceableAge <= renewalAges.lowerBound && renewalAges.upperBound <= usableAge,
            "a token is replaceable before it is renewed, and renewed before it ends")
        self.replaceableAge = replaceableAge
        self.renewalAges = renewalAges
        self.usableAge = usableAge
    }

    /// Apple takes a new token at most every 20 minutes and none that is older than 60; another lifetime has the same
    /// proportions.
    package static func apns(lifetime: Duration = .seconds(3_600)) -> TokenWindow {
        TokenWindow(
            replaceableAge: lifetime / 3, renewalAges: lifetime * 3 / 4...lifetime * 5 / 6,
            usableAge: lifetime * 29 / 30)
    }

    /// For a token that its issuer says will live for so long: renewed five minutes before, or in the last fifth of a
    /// short life. One of less than six seconds is used for that long, so that nobody is asked without end.
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
