/// The server to which a cluster redirects a command.
struct RedisRedirect: Equatable {
    enum Kind {
        /// The slot has moved permanently.
        case moved
        /// The slot is moving: only this command goes to the other server, after `ASKING`.
        case ask
    }

    let kind: Kind
    let slot: Int
    let address: RedisConfiguration.Address

    /// Parses an error such as `MOVED 3999 127.0.0.1:6381`; nil for any other.
    init?(_ error: RedisError, askedHost: String) {
        switch error.code {
        case .reply("MOVED"): kind = .moved
        case .reply("ASK"): kind = .ask
        default: return nil
        }
        let words = error.message.split(separator: " ")
        guard words.count >= 3, let slot = Int(words[1]), (0..<RedisSlot.count).contains(slot),
            let colon = words[2].lastIndex(of: ":"), let port = UInt16(words[2][words[2].index(after: colon)...])
        else { return nil }
        let host = String(words[2][..<colon])
        self.slot = slot
        address = RedisConfiguration.Address(host: host.isEmpty ? askedHost : host, port: port)
    }
}
