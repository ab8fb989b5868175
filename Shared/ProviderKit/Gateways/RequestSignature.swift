package import ServiceKit
package import Signing

/// Proves to a publisher's server that a request is authentic and recent: HMAC-SHA-256 over the time, a dot and the
/// body.
package enum RequestSignature {
    package static let header = "Carillon-Signature"

    package static func value(of body: [UInt8], at now: Timestamp, key: HMACKey) -> String {
        let seconds = now.milliseconds / 1_000
        let code = key.code(for: Array("\(seconds).".utf8) + body)
        return "t=\(seconds),v1=\(Hexadecimal.encode(code))"
    }
}
