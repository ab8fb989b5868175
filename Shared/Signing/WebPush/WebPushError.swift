/// Reason why a push cannot be encrypted or decrypted.
package enum WebPushError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The content has more than 3,993 bytes.
    case tooLarge
    /// The other side's public key is no point of P-256.
    case notOnCurve
    /// The body ends before its record.
    case truncated
    /// A push has one record (RFC 8291, section 4).
    case severalRecords
    /// The body was encrypted for other keys, or changed since.
    case notAuthentic
    /// The record does not say where its content ends.
    case notDelimited
    /// OpenSSL failed, or the secret has another length than 16 bytes.
    case failed

    package var description: String {
        switch self {
        case .tooLarge: "the content has more than \(WebPushEncryption.plaintextBytesMaximum) bytes: shorten it"
        case .notOnCurve: "the public key is no point of P-256: the browser has to subscribe again"
        case .truncated: "the body is too short for one encrypted record"
        case .severalRecords: "the body has more than one record"
        case .notAuthentic: "the body was encrypted for other keys, or changed since"
        case .notDelimited: "the record has no delimiter of a last record"
        case .failed: "OpenSSL failed to encrypt or decrypt the content"
        }
    }
}
