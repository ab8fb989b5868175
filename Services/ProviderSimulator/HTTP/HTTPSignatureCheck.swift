import ServiceKit
import Signing

/// Checks the signature of an HTTP push as its receiver should: HMAC-SHA-256 over the time, a dot and the body, in the
/// form `t=SECONDS,v1=HEXADECIMAL`.
struct HTTPSignatureCheck: Sendable {
    static let header = "carillon-signature"
    /// Older ones may be repeated by someone who has read them.
    private static let ageMaximum: Int64 = 300

    let key: HMACKey

    func check(_ value: String, body: [UInt8], now: Timestamp) throws(HTTPReceiverError) {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("t="), parts[1].hasPrefix("v1="),
            let seconds = Int64(parts[0].dropFirst(2)), let code = Hexadecimal.decode(String(parts[1].dropFirst(3))),
            key.isCode(code, for: Array("\(seconds).".utf8) + body)
        else { throw .badSignature }
        let current = now.milliseconds / 1_000
        let range = current - HTTPSignatureCheck.ageMaximum...current + HTTPSignatureCheck.ageMaximum
        guard range.contains(seconds) else { throw .staleSignature }
    }
}
