/// The parts of a device that a push needs, read from its record without decoding all of it: a broadcast reads
/// millions.
package struct DeviceGlance {
    package let kind: PushProtocol
    package let tag: UInt32
    /// Seconds since 1970, like `updated`.
    package let created: UInt32
    package let updated: UInt32
    let flags: Device.Flags
    private let packedToken: ArraySlice<UInt8>
    let fields: ArraySlice<UInt8>

    /// Nil if the bytes are not a device.
    package init?(packed bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let head = reader.byte(), head & 0xF0 == Device.format, let kind = PushProtocol(rawValue: head & 0x0F),
            let flags = reader.byte().map(Device.Flags.init(rawValue:)), let tag = reader.integer(UInt32.self),
            let created = reader.integer(UInt32.self), let age = reader.variableInteger(),
            let since = UInt32(exactly: age), let token = reader.counted()
        else { return nil }
        self.kind = kind
        self.flags = flags
        self.tag = tag
        self.created = created
        updated = created &+ since
        packedToken = token
        fields = reader.rest()
    }

    package var isSandbox: Bool { flags.contains(.sandbox) }

    /// Nil if the record has no readable token.
    package var token: PushToken? { PushToken(kind, packed: packedToken) }

    /// UTF-8, unless the record is malformed; empty for none.
    package var language: ArraySlice<UInt8> { content(of: Device.Field.language) }

    /// The same, of the system.
    package var version: ArraySlice<UInt8> { content(of: Device.Field.version) }

    /// The same.
    package var timeZone: ArraySlice<UInt8> { content(of: Device.Field.timeZone) }

    /// The same.
    package var appVersion: ArraySlice<UInt8> { content(of: Device.Field.appVersion) }

    /// Nil for a device that is not a browser.
    package var webPushKeys: WebPushKeys? { WebPushKeys(packed: content(of: Device.Field.webPushKeys)) }

    /// The token with which Live Activities of the type are started on the device.
    package func startToken(for type: ActivityType) -> PushToken? {
        let packed = content(of: Device.Field.startTokens)
        return packed.isEmpty ? nil : StartTokens.token(for: type, packed: packed)
    }

    package var hasUser: Bool { !content(of: Device.Field.aliases + Alias.Kind.externalUser.rawValue).isEmpty }

    /// Empty for none.
    private func content(of wanted: UInt8) -> ArraySlice<UInt8> {
        var reader = ByteReader(fields)
        while let field = reader.byte(), let content = reader.counted() {
            if field == wanted { return content }
        }
        return []
    }
}
