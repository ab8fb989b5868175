import PushModel
import ServiceKit
import Signing

/// The access tokens that a provider has issued; it remembers the newest thousand.
struct IssuedTokens: Sendable {
    enum Standing: Sendable {
        case good
        case expired
        case unknown
    }

    private static let tokensMaximum = 1_000

    var lifetime: Duration
    private var ends: [String: Timestamp] = [:]
    private var order: [String] = []
    private let prefix: String

    /// `prefix` is the start of the provider's tokens. They live an hour at Google and Huawei.
    init(prefix: String, lifetime: Duration = .seconds(3_600)) {
        self.prefix = prefix
        self.lifetime = lifetime
    }

    mutating func issue(now: Timestamp) -> String {
        let token = prefix + Base64URL.encode(SecureRandom.bytes(32))
        ends[token] = now + lifetime
        order.append(token)
        if order.count > IssuedTokens.tokensMaximum { ends[order.removeFirst()] = nil }
        return token
    }

    /// Takes the whole `authorization` field.
    func standing(of authorization: String?, now: Timestamp) -> Standing {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer ",
            let end = ends[String(authorization.dropFirst(7))]
        else { return .unknown }
        return now < end ? .good : .expired
    }

    mutating func expireAll() {
        for token in order { ends[token] = Timestamp(milliseconds: 0) }
    }
}
