import ServiceKit
import TLSSocket

extension RedisConfiguration {
    /// `redis://user:password@host:port/database`; `rediss://` with TLS; `redis+cluster://host:port,host:port` and
    /// `rediss+cluster://` for a cluster, naming some of its nodes. User, password, port and database may be left out;
    /// special characters in user and password are percent-encoded.
    package init(url: String) throws(RedisError) {
        let (scheme, rest) = try RedisConfiguration.split(url)
        self.init()
        switch scheme {
        case "redis": break
        case "rediss": tls = TLSConfiguration()
        case "redis+cluster": isCluster = true
        case "rediss+cluster":
            isCluster = true
            tls = TLSConfiguration()
        default:
            throw RedisConfiguration.wrong("unknown scheme: expected redis, rediss, redis+cluster or rediss+cluster")
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var authority = rest[..<slash]
        if let at = authority.lastIndex(of: "@") {
            try readUser(authority[..<at])
            authority = authority[authority.index(after: at)...]
        }
        try readAddresses(authority)
        try readDatabase(rest[slash...].dropFirst())
    }

    private static func split(_ url: String) throws(RedisError) -> (scheme: Substring, rest: Substring) {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
            throw wrong("not a Redis URL such as redis://host:6379/0")
        }
        return (url[..<colon], url[colon...].dropFirst(3))
    }

    private mutating func readUser(_ text: Substring) throws(RedisError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = PercentEncoding.decode(parts[0].utf8),
            let word = PercentEncoding.decode((parts.count == 2 ? parts[1] : "").utf8)
        else { throw RedisConfiguration.wrong("user and password must be percent-encoded UTF-8") }
        if !name.isEmpty { user = name }
        if !word.isEmpty { password = Secret(word) }
    }

    private mutating func readAddresses(_ text: Substring) throws(RedisError) {
        var list: [Address] = []
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = Address(entry) else {
                throw RedisConfiguration.wrong(
                    "invalid host:port after the scheme or the last @; "
                        + "percent-encode special characters of a password")
            }
            list.append(address)
        }
        guard isCluster || list.count == 1 else {
            throw RedisConfiguration.wrong("several hosts require redis+cluster:// or rediss+cluster://")
        }
        addresses = list
    }

    private mutating func readDatabase(_ text: Substring) throws(RedisError) {
        guard !text.isEmpty else { return }
        guard let number = Int(text), number >= 0 else {
            throw RedisConfiguration.wrong("the database after the slash is not a number")
        }
        guard !isCluster || number == 0 else {
            throw RedisConfiguration.wrong("a cluster has only database 0")
        }
        database = number
    }

    /// Quotes no part of the URL: in an invalid one, an apparent host may be half a password.
    private static func wrong(_ problem: String) -> RedisError {
        RedisError(.misconfigured, message: problem)
    }
}

extension RedisConfiguration.Address {
    /// `host`, `host:port`, `[address]` or `[address]:port`.
    package init?(_ text: Substring) {
        var host = text
        var port: Substring = "6379"
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
            guard !host.contains(":") else { return nil }
        }
        guard !host.isEmpty, let number = UInt16(port), number > 0 else { return nil }
        self.init(host: String(host), port: number)
    }
}
