import ServiceKit

/// The parsed second word of a request line: `/path?query`, the same after `http://authority`, or `*`.
struct RequestTarget: Equatable {
    /// Percent-decoded separately, so that `%2F` stays inside its segment. Nil for `*`.
    let segments: [String]?
    /// As received.
    let path: String
    /// As received, without the question mark.
    let query: String

    /// More than any route has; limits the memory that each segment costs besides its bytes.
    private static let segmentsMaximum = 64
    private static let schemes = ["http://", "https://"].map { Array($0.utf8) }

    /// Nil if it is malformed, or of a form that only proxies accept.
    init?(_ bytes: UnsafeRawBufferPointer) {
        // URI characters are visible ASCII, and clients do not send fragments.
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else { return nil }
        guard bytes.count != 1 || bytes[0] != UInt8(ascii: "*") else {
            segments = nil
            path = "*"
            query = ""
            return
        }
        guard let local = RequestTarget.withoutAuthority(bytes) else { return nil }
        let pathEnd = local.firstIndex(of: UInt8(ascii: "?")) ?? local.endIndex
        guard let segments = RequestTarget.segments(of: local[..<pathEnd]) else { return nil }
        self.segments = segments
        // A URL without a path means the root.
        path = pathEnd == local.startIndex ? "/" : String(decoding: local[..<pathEnd], as: UTF8.self)
        query = String(decoding: local[pathEnd...].dropFirst(), as: UTF8.self)
    }

    private static func segments(of path: Slice<UnsafeRawBufferPointer>) -> [String]? {
        var segments: [String] = []
        var rest = path.dropFirst()
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard segments.count < segmentsMaximum,
                let segment = PercentEncoding.decode(UnsafeRawBufferPointer(rebasing: rest[..<end]))
            else {
                return nil
            }
            segments.append(segment)
            guard end < rest.endIndex else { return segments }
            rest = rest[(end + 1)...]
        }
    }

    /// Starts with a slash; if the URL has no path, empty or starting with a question mark.
    private static func withoutAuthority(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        if bytes.first == UInt8(ascii: "/") { return bytes[...] }
        for scheme in schemes where bytes.prefix(scheme.count).map(HTTPToken.lowercased) == scheme {
            let rest = bytes[scheme.count...]
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            return end == rest.startIndex ? nil : rest[end...]
        }
        return nil
    }
}
