/// The last safeguard for log lines: redacts long opaque strings, the shape of device tokens, keys and JSON Web Tokens,
/// and passwords inside URLs. Types that hold such values already print themselves redacted.
///
/// Works on bytes and passes over each a fixed number of times: logged text comes from outside, and characters joined
/// by combining marks must neither hide a password nor cost time.
package enum Redaction {
    /// The shortest secrets are 64 hexadecimal digits (APNs tokens) or 43 characters of base 64 (credentials); UUIDs
    /// (36) and trace ids (32) stay readable.
    private static let longestReadable = 40

    package static func redact(_ text: String) -> String {
        guard text.utf8.count > longestReadable || text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var result: [UInt8] = []
        for run in withoutURLPasswords(Array(text.utf8)).runs(where: isTokenByte) {
            result += isSecret(run) ? Array("[redacted \(run.count) characters]".utf8) : Array(run)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A colon or equals sign may join a name and a value or be part of a token, so each side is checked separately.
    private static func isSecret(_ run: ArraySlice<UInt8>) -> Bool {
        run.count > longestReadable
            && run.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }.contains(where: isOpaque)
    }

    private static func isOpaque(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count > longestReadable, text.contains(where: \.isASCIIDigit) else { return false }
        let segments = text.split(separator: UInt8(ascii: "/"))
        let isAnyOpaque = segments.contains { segment in
            segment.count > longestReadable && segment.contains(where: \.isASCIIDigit) && !isIdentifier(segment)
        }
        guard !isAnyOpaque else { return true }
        // Base 64 contains slashes and letters of both cases; a path seldom mixes cases.
        return segments.count > 1 && text.contains(where: \.isASCIIUppercase)
            && text.contains(where: \.isASCIILowercase)
    }

    /// Groups of at most 32 hexadecimal digits, as in UUIDs and `traceparent`.
    private static func isIdentifier(_ text: ArraySlice<UInt8>) -> Bool {
        text.split(separator: UInt8(ascii: "-")).allSatisfy { $0.count <= 32 && $0.allSatisfy(\.isHexDigit) }
    }

    /// `redis://user:secret@host` becomes `redis://user:[redacted]@host`.
    private static func withoutURLPasswords(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        var position = 0
        while position < text.count {
            guard text[position...].starts(with: "://".utf8) else {
                position += 1
                continue
            }
            let authority = text[(position + 3)...].prefix { !endsAuthority($0) }
            position = authority.endIndex
            guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
                let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":"))
            else { continue }
            result += text[copied...colon] + Array("[redacted]".utf8)
            copied = at
        }
        return result + text[copied...]
    }

    /// Stricter than the standard, so that a password with an unescaped `?` or `#` is covered too.
    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\"")
            || byte == UInt8(ascii: "'")
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-_:+=/".utf8.contains(byte)
    }
}

extension [UInt8] {
    /// Splits the bytes, in order, wherever the predicate's result changes.
    fileprivate func runs(where belongs: (UInt8) -> Bool) -> [ArraySlice<UInt8>] {
        var runs: [ArraySlice<UInt8>] = []
        var start = startIndex
        for index in indices.dropFirst() where belongs(self[index]) != belongs(self[index - 1]) {
            runs.append(self[start..<index])
            start = index
        }
        return isEmpty ? [] : runs + [self[start...]]
    }
}
