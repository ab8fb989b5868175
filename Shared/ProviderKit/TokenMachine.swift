import ServiceKit

/// Decides when a token is used, renewed and replaced. Pure: times are uptimes passed in.
struct TokenMachine {
    enum Answer: Equatable {
        case use(BearerToken)
        /// The token is valid, but due for renewal by the refresh of this number.
        case useAndRefresh(BearerToken, Int)
        /// Wait for the refresh under way.
        case wait
        case refreshAndWait(Int)
        /// The last refresh failed, and it is too soon for the next one.
        case fail(TokenError)
    }

    private struct Held {
        let token: BearerToken
        let window: TokenWindow
        let since: Duration
        let renewalAge: Duration
        var isRefused = false

        func isUsable(at now: Duration) -> Bool { !isRefused && now - since < window.usableAge }
    }

    private struct Failure {
        let error: TokenError
        let attempts: Int
        let retry: Duration
    }

    private let backoff: Backoff
    private var held: Held?
    private var failure: Failure?
    private var refresh: Int?
    private var refreshes = 0

    init(backoff: Backoff) {
        self.backoff = backoff
    }

    mutating func ask(at now: Duration) -> Answer {
        let mayRefresh = refresh == nil && (failure.map { $0.retry <= now } ?? true)
        if let held, held.isUsable(at: now) {
            guard mayRefresh, now - held.since >= held.renewalAge else { return .use(held.token) }
            return .useAndRefresh(held.token, begin())
        }
        if refresh != nil { return .wait }
        if let failure, !mayRefresh { return .fail(failure.error) }
        return .refreshAndWait(begin())
    }

    private mutating func begin() -> Int {
        refreshes += 1
        refresh = refreshes
        return refreshes
    }

    /// Nil if this refresh was abandoned before.
    mutating func succeed(
        _ number: Int, issued: IssuedToken, at now: Duration, random: some RandomSource
    ) -> BearerToken? {
        guard refresh == number else { return nil }
        refresh = nil
        failure = nil
        let token = BearerToken(value: issued.value, number: number)
        held = Held(
            token: token, window: issued.window, since: now,
            renewalAge: random.duration(in: issued.window.renewalAges))
        return token
    }

    /// False if this refresh was abandoned before.
    mutating func fail(_ number: Int, error: TokenError, at now: Duration, random: some RandomSource) -> Bool {
        guard refresh == number else { return false }
        refresh = nil
        let attempts = (failure?.attempts ?? 0) + 1
        let delay = backoff.delay(afterAttempt: attempts, random: random)
        failure = Failure(error: error, attempts: attempts, retry: now + delay)
        return true
    }

    mutating func refuse(_ token: BearerToken, at now: Duration) -> TokenCache.Refusal {
        guard let held, held.token.number == token.number else { return .replaced }
        if held.isRefused { return .replacing }
        guard now - held.since >= held.window.replaceableAge else { return .tooYoung }
        self.held?.isRefused = true
        return .replacing
    }
}
