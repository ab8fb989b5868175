/// The last net under what is logged: long opaque strings, which is what device tokens, keys and JSON Web Tokens look
/// like, and passwords inside URLs. Types that hold such values print themselves redacted already.
package enum Redaction {
    /// Task and trace ids (32 hex digits, UUIDs) stay readable; an APNs token is the shortest secret at 64 hex digits,
    /// credentials are 43 characters of base 64.
    private static let longestReadable = 40

    package static func redact(_ text: String) -> String {
        guard text.utf8.count > longestReadable || text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var result: [UInt8] = []
        var run: [UInt8] = []
        for byte in withoutURLPasswords(text).utf8 {
            if isOpaque(byte) {
                run.append(byte)
            } else {
                flush(&run, into: &result)
                result.append(byte)
            }
        }
        flush(&run, into: &result)
        return String(decoding: result, as: UTF8.self)
    }

    private static func flush(_ run: inout [UInt8], into result: inout [UInt8]) {
        if run.count > longestReadable && run.contains(where: { isDigit($0) }) {
            result += Array("[redacted \(run.count) characters]".utf8)
        } else {
            result += run
        }
        run.removeAll(keepingCapacity: true)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isOpaque(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "="):
            true
        default: isDigit(byte)
        }
    }

    /// `redis://user:secret@host` becomes `redis://user:[redacted]@host`.
    private static func withoutURLPasswords(_ text: String) -> String {
        var result = ""
        var rest = Substring(text)
        while let scheme = rest.range(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !$0.isWhitespace && $0 != "/" && $0 != "\"" && $0 != "'" }
            guard let at = authority.lastIndex(of: "@") else { continue }
            let user = authority[..<at].prefix { $0 != ":" }
            result += user.endIndex == at ? "\(user)" : "\(user):[redacted]"
            rest = rest[at...]
        }
        return result + rest
    }
}

extension Substring {
    /// The standard library alone has no cheap substring search on `Substring`; this one is for short log texts.
    fileprivate func range(of needle: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }
}
