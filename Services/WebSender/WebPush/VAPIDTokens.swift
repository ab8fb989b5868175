import ServiceKit
import Signing
import Synchronization

/// The tokens of one app for push services, each signed for one of them and used until half of its life.
///
/// Bounded; a service that was forgotten gets a new token, which costs some 20 microseconds.
final class VAPIDTokens: Sendable {
    struct Token: Sendable {
        /// The value of the header that carries it.
        let authorization: Secret
        fileprivate let number: Int
    }

    private struct Entry {
        let token: Token
        let since: Duration
        /// When it replaced one that the service had refused.
        var replacedAt: Duration?
        /// The service has taken a push with it.
        var isAccepted = false
    }

    private struct State {
        var entries: RecentlyUsed<PushOrigin, Entry>
        var numbers = 0
    }

    /// Push services take no token that is valid for more than 24 hours (RFC 8292, section 2).
    static let lifetime = Duration.seconds(12 * 3_600)
    /// Apple refuses pushes of a publisher that signs more often.
    static let replacementInterval = Duration.seconds(3_600)
    static let originsMaximum = 4_096

    private let key: VAPIDKey
    private let contact: String
    private let time: any TimeSource
    private let state = Mutex(State(entries: RecentlyUsed(costMaximum: originsMaximum)))

    init(_ key: VAPIDKey, contact: String, time: any TimeSource) {
        self.key = key
        self.contact = contact
        self.time = time
    }

    var count: Int { state.withLock { $0.entries.count } }

    func token(for origin: PushOrigin) throws(SigningError) -> Token {
        let now = time.uptime
        let known = state.withLock { $0.entries.value(for: origin) }
        if let known, now - known.since < VAPIDTokens.lifetime / 2 { return known.token }
        return try sign(for: origin, replacedAt: known?.replacedAt)
    }

    /// The next token after one that the service refused; nil if another one would be refused as well.
    func replacement(of refused: Token, for origin: PushOrigin) throws(SigningError) -> Token? {
        let now = time.uptime
        let known = state.withLock { $0.entries.value(for: origin) }
        if let known, known.token.number != refused.number { return known.token }
        if let replacedAt = known?.replacedAt, now - replacedAt < VAPIDTokens.replacementInterval { return nil }
        return try sign(for: origin, replacedAt: now)
    }

    func noteAccepted(_ token: Token, by origin: PushOrigin) {
        state.withLock { state in
            guard var entry = state.entries.value(for: origin), entry.token.number == token.number, !entry.isAccepted
            else { return }
            entry.isAccepted = true
            state.entries.set(entry, for: origin)
        }
    }

    /// True if the service has taken a push with this token, so that it can only refuse it for certain devices.
    func isAccepted(_ token: Token, by origin: PushOrigin) -> Bool {
        state.withLock { state in
            state.entries.value(for: origin).map { $0.token.number == token.number && $0.isAccepted } ?? false
        }
    }

    /// Two callers may sign at the same time; the later token stays.
    private func sign(for origin: PushOrigin, replacedAt: Duration?) throws(SigningError) -> Token {
        let signed = try key.token(
            origin: "\(origin)", contact: contact, expiresAt: time.now + VAPIDTokens.lifetime)
        let authorization = Secret("vapid t=\(signed.reveal()), k=\(key.publicText)")
        let now = time.uptime
        return state.withLock { state in
            state.numbers += 1
            let token = Token(authorization: authorization, number: state.numbers)
            state.entries.set(Entry(token: token, since: now, replacedAt: replacedAt), for: origin)
            return token
        }
    }
}
