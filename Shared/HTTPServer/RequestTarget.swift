/// The second word of a request line, taken apart: `/path?query`, the same behind `http://authority`, or `*`.
struct RequestTarget: Equatable {
    /// Percent-decoded one by one, so that `%2F` stays inside its segment. Nil for `*`.
    let segments: [String]?
    /// As received.
    let path: String
    /// As received, without the question mark.
    let query: String

    /// Nil when it is malformed, or of a kind that only proxies take.
    init?(_ text: String) {
        guard text != "*" else {
            self = RequestTarget(segments: nil, path: "*", query: "")
            return
        }
        guard let local = RequestTarget.withoutAuthority(text),
            // URI characters are visible ASCII, and the fragment stays with the client.
            local.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { return nil }
        let parts = local.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for segment in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = PercentEncoding.decode(segment.utf8) else { return nil }
            segments.append(decoded)
        }
        self = RequestTarget(segments: segments, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "")
    }

    private init(segments: [String]?, path: String, query: String) {
        self.segments = segments
        self.path = path
        self.query = query
    }

    private static func withoutAuthority(_ text: String) -> Substring? {
        if text.utf8.first == UInt8(ascii: "/") { return Substring(text) }
        for scheme in ["http://", "https://"] where text.prefix(scheme.count).lowercased() == scheme {
            let rest = text.dropFirst(scheme.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            guard end != rest.startIndex else { return nil }
            return rest[end...].first == "/" ? rest[end...] : "/" + rest[end...]
        }
        return nil
    }
}
