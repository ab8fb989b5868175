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

    /// Apple takes a new token at most every 20 minutes and none that is older than 60.
    package static let apns = TokenWindow(
        replaceableAge: .seconds(20 * 60), renewalAges: .seconds(45 * 60) ... .seconds(50 * 60),
        usableAge: .seconds(58 * 60))

    /// For a token that its issuer says will live for so long: renewed five minutes before, or in the last fifth of a
    /// short life. One of less than a minute is used for a minute, since asking more often would not help.
    package static func oauth(lifetime: Duration) -> TokenWindow {
        let replaceable = Duration.seconds(60)
        let life = max(lifetime, replaceable)
        let renewal = max(replaceable, life - min(.seconds(5 * 60), life / 5))
        return TokenWindow(
            replaceableAge: replaceable, renewalAges: renewal...max(renewal, renewal + (life - renewal) / 5),
            usableAge: max(renewal + (life - renewal) / 5, life - .seconds(30)))
    }
}
