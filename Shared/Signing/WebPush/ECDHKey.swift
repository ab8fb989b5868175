/// A private key of P-256 for key agreement, such as that of a browser's subscription. It cannot print itself.
package struct ECDHKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package static let privateKeyBytes = P256Arithmetic.numberBytes

    /// Uncompressed, 65 bytes.
    package let publicPoint: [UInt8]
    private let number: [UInt8]

    /// Nil unless the bytes are a number of 32 bytes, at least 1 and below the order of the curve. Of random bytes, one
    /// in four billion is not.
    package init?(privateKey: [UInt8]) {
        let point = EncryptionWorkspace.borrow { workspace -> [UInt8]? in
            defer { workspace.curve.forgetKey() }
            return workspace.curve.setKey(privateKey) ? workspace.curve.publicPoint() : nil
        }
        guard let point else { return nil }
        number = privateKey
        publicPoint = point
    }

    package static func generated() -> ECDHKey {
        while true {
            if let key = ECDHKey(privateKey: SecureRandom.bytes(privateKeyBytes)) { return key }
        }
    }

    /// Nil if the point is not on the curve.
    package func sharedSecret(with point: [UInt8]) -> [UInt8]? {
        EncryptionWorkspace.borrow { workspace in
            load(into: workspace.curve)
            defer { workspace.curve.forgetKey() }
            return workspace.curve.sharedSecret(with: point)
        }
    }

    func load(into curve: P256Arithmetic) {
        let isKey = curve.setKey(number)
        precondition(isKey, "the number was checked when the key was made")
    }

    package var description: String { "[secret]" }
    package var debugDescription: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
