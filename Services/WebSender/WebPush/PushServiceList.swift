import ServiceKit

/// Hosts of push services, as an operator lists them.
struct PushServiceList: Sendable, Equatable, CustomStringConvertible {
    struct Entry: Sendable, Hashable, CustomStringConvertible {
        let host: String
        let port: UInt16
        /// True for all hosts below it, and not for itself.
        let isDomain: Bool

        /// As it is listed.
        var description: String { (isDomain ? "*." : "") + host + (port == 443 ? "" : ":\(port)") }
    }

    static let none = PushServiceList(entries: [], description: "")

    /// Those of Chrome, Firefox, Safari and Edge.
    static let usual: PushServiceList = {
        let hosts = [
            "fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com", "*.push.apple.com",
            "*.notify.windows.com",
        ]
        guard let list = PushServiceList(hosts.joined(separator: ",")) else { preconditionFailure("invalid hosts") }
        return list
    }()

    let description: String
    let entries: [Entry]

    /// Nil unless each part between commas is a host name, or a domain after `*.`; a port may follow. Empty for none.
    init?(_ text: String) {
        var entries: [Entry] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
            let isDomain = part.hasPrefix("*.")
            let name = isDomain ? part.dropFirst(2) : part
            guard let origin = PushOrigin(address: "https://\(name)"), origin.description == "https://\(name)" else {
                return nil
            }
            entries.append(Entry(host: origin.host, port: origin.port, isDomain: isDomain))
        }
        self.init(entries: entries, description: text)
    }

    /// All hosts below these domains.
    init(below domains: [String]) {
        let entries = domains.map { Entry(host: $0, port: 443, isDomain: true) }
        self.init(entries: entries, description: entries.map(\.description).joined(separator: ","))
    }

    private init(entries: [Entry], description: String) {
        self.entries = entries
        self.description = description
    }

    func contains(_ origin: PushOrigin) -> Bool { entry(of: origin) != nil }

    /// The first that names the server.
    func entry(of origin: PushOrigin) -> Entry? {
        guard origin.scheme == .https else { return nil }
        return entries.first { entry in
            guard entry.port == origin.port else { return false }
            return entry.isDomain
                ? origin.host != entry.host && origin.isWithin([entry.host])
                : origin.host.utf8.elementsEqual(entry.host.utf8)
        }
    }
}
