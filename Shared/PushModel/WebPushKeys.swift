/// The keys of a browser's subscription: a push is encrypted for them (RFC 8291).
package struct WebPushKeys: Hashable, Sendable {
    /// An uncompressed point of P-256: 4, x and y.
    package static let publicKeyBytes = 65
    package static let secretBytes = 16

    package let publicKey: [UInt8]
    /// Shared by the browser and the publisher; browsers call it `auth`.
    package let secret: [UInt8]

    /// Nil for wrong lengths or another form of the point. That the point lies on the curve is not checked.
    package init?(publicKey: [UInt8], secret: [UInt8]) {
        guard publicKey.count == WebPushKeys.publicKeyBytes, publicKey[0] == WebPushKeys.uncompressed,
            secret.count == WebPushKeys.secretBytes
        else { return nil }
        self.publicKey = publicKey
        self.secret = secret
    }
}

extension WebPushKeys {
    private static let uncompressed: UInt8 = 4
    /// The form of the point is always the same and takes no room.
    package static let packedBytes = publicKeyBytes - 1 + secretBytes

    package var packed: [UInt8] { publicKey.dropFirst() + secret }

    package init?(packed: ArraySlice<UInt8>) {
        guard packed.count == WebPushKeys.packedBytes else { return nil }
        self.init(
            publicKey: [WebPushKeys.uncompressed] + packed.prefix(WebPushKeys.publicKeyBytes - 1),
            secret: Array(packed.suffix(WebPushKeys.secretBytes)))
    }
}
