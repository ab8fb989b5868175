import HTTP2
import ServiceKit

/// Checks the header fields of a Web Push (RFC 8030).
enum WebPushHeaders {
    private static let urgencies = ["very-low", "low", "normal", "high"]
    private static let topicBytes = 1...32
    /// Larger numbers need more than 31 bits, which services may refuse.
    private static let ttlMaximum = Int64(Int32.max)

    /// Returns the seconds to live.
    static func check(_ headers: HTTP2Headers, bodyBytes: Int) throws(WebPushRefusal) -> Int64 {
        guard let text = headers["ttl"], !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit), let ttl = Int64(text),
            ttl <= ttlMaximum
        else { throw .badTTL }
        if let urgency = headers["urgency"], !urgencies.contains(urgency) { throw .badUrgency }
        if let topic = headers["topic"] {
            guard topicBytes.contains(topic.utf8.count),
                topic.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-_".utf8.contains($0) })
            else { throw .badTopic }
        }
        if let length = headers["content-length"], length != String(bodyBytes) { throw .badContentLength }
        // The encoding says how the body is to be read, so a push without a body has none.
        guard headers["content-encoding"] == (bodyBytes > 0 ? "aes128gcm" : nil) else { throw .badContentEncoding }
        return ttl
    }
}
