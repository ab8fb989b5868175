/// The W3C `traceparent` that accompanies a push from the publisher's request to the provider.
package struct TraceContext: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits.
    package let traceID: String
    /// 16 lower-case hexadecimal digits.
    package let spanID: String
    package let isSampled: Bool

    package init(random: some RandomSource) {
        traceID = random.hexadecimal() + random.hexadecimal()
        spanID = random.hexadecimal()
        isSampled = true
    }

    private init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Nil for a malformed header: the specification requires treating it as absent.
    package init?(header: String) {
        // Later versions may have more parts, which stay unsplit: a header of dashes would yield thousands of parts.
        let parts = header.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff", parts[1].utf8.count == 32,
            parts[2].utf8.count == 16, parts[3].utf8.count == 2, parts[0] != "00" || parts.count == 4,
            parts[0..<4].allSatisfy({ $0.utf8.allSatisfy { $0.isHexDigit && !$0.isASCIIUppercase } }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(traceID: String(parts[1]), spanID: String(parts[2]), isSampled: flags & 1 == 1)
    }

    package var header: String {
        "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")"
    }

    /// A child span of the same trace.
    package func child(random: some RandomSource) -> TraceContext {
        TraceContext(traceID: traceID, spanID: random.hexadecimal(), isSampled: isSampled)
    }
}
