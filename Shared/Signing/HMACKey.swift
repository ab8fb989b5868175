import COpenSSL

/// A key for HMAC-SHA-256. It cannot print itself, so no log line or error message can carry it by accident.
package struct HMACKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func code(for message: [UInt8]) -> [UInt8] {
        // OpenSSL takes a missing pointer for "the key as before", which an empty array may turn into.
        let key = bytes.isEmpty ? [0] : bytes
        var code = [UInt8](repeating: 0, count: SHA256.byteCount)
        let result = HMAC(EVP_sha256(), key, Int32(bytes.count), message, message.count, &code, nil)
        precondition(result != nil, "OpenSSL has no HMAC-SHA-256: \(OpenSSLErrors.take())")
        return code
    }

    /// Takes as long for a wrong code as for the right one.
    package func isCode(_ code: [UInt8], for message: [UInt8]) -> Bool {
        ConstantTime.areEqual(code, self.code(for: message))
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
