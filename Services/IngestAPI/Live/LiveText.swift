import ServiceKit

/// What a live stream carries, as server-sent events.
enum LiveText {
    /// How long a client waits before it opens a lost stream again.
    static let opening = Array("retry: 2000\n\n".utf8)
    static let keepAlive = Array(":\n\n".utf8)

    enum End: String {
        /// The key, its scope or the session has ended.
        case revoked
        /// The service stops; another instance may be there.
        case draining
        /// The client reads more slowly than its messages come.
        case slow
    }

    /// `json` is an object without line breaks.
    static func message(_ subject: LiveSubject, json: String) -> [UInt8] {
        Array("event: \(subject.event)\ndata: \(json)\n\n".utf8)
    }

    static func end(_ end: End) -> [UInt8] {
        Array("event: end\ndata: {\"reason\":\"\(end.rawValue)\"}\n\n".utf8)
    }
}
