/// What a push needs of a device, read from its record without making a whole device of it: a broadcast looks at
/// millions.
package struct DeviceGlance {
    package let kind: PushProtocol
    package let tag: UInt32
    /// Seconds since 1970, as `updated` is.
    let created: UInt32
    package let updated: UInt32
    let flags: Device.Flags
    private let packedToken: ArraySlice<UInt8>
    let fields: ArraySlice<UInt8>

    /// Nil for bytes that are no device.
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

    /// Nil where the record has none that can be read.
    package var token: PushToken? { PushToken(kind, packed: packedToken) }

    /// In UTF-8, if it is a text at all; empty for none.
    package var language: ArraySlice<UInt8> {
        var reader = ByteReader(fields)
        while let field = reader.byte(), let content = reader.counted() {
            if field == Device.Field.language { return content }
        }
        return []
    }
}
