import ServiceKit

/// A provider's address of a device, in the canonical form in which it is stored and compared.
package struct PushToken: Hashable, Sendable {
    package static let channelBytesMaximum = 256

    package let kind: PushProtocol
    package let text: String

    /// Checks the form, as far as the provider documents it. Apple's tokens become lower case.
    package init(_ kind: PushProtocol, text: String) throws(InvalidValueError) {
        let form = PushToken.form(of: kind)
        guard form.accepts(text.utf8) else { throw InvalidValueError("expected \(form.description)") }
        self.kind = kind
        self.text = PushToken.isHexadecimal(kind) ? text.lowercased() : text
    }

    /// True if the bytes are a token of this kind, in any spelling.
    package static func accepts(_ bytes: ArraySlice<UInt8>, as kind: PushProtocol) -> Bool {
        form(of: kind).accepts(bytes)
    }

    /// The form of such tokens; completes "expected …".
    package static func rule(of kind: PushProtocol) -> String { form(of: kind).description }

    fileprivate init(unchecked kind: PushProtocol, _ text: String) {
        self.kind = kind
        self.text = text
    }

    private struct Form {
        let lengths: ClosedRange<Int>
        let isAllowed: @Sendable (UInt8) -> Bool
        /// One of these must come first; empty for none.
        var starts: [String] = []
        var hasEvenLength = false
        let description: String

        func accepts(_ bytes: some Collection<UInt8>) -> Bool {
            let count = bytes.count
            return lengths.contains(count) && !(hasEvenLength && !count.isMultiple(of: 2))
                && bytes.allSatisfy(isAllowed) && (starts.isEmpty || starts.contains { bytes.starts(with: $0.utf8) })
        }
    }

    private static func form(of kind: PushProtocol) -> Form {
        switch kind {
        case .apns, .liveActivity:
            Form(
                lengths: 64...200, isAllowed: { $0.isHexDigit }, hasEvenLength: true,
                description: "64 to 200 hexadecimal digits, an even number of them")
        case .fcm:
            Form(
                lengths: 32...4_096,
                isAllowed: { Base64URL.values[Int($0)] < 64 || $0 == UInt8(ascii: ":") },
                description: "32 to 4096 of A-Z, a-z, 0-9, _, - and :")
        case .huawei:
            Form(
                lengths: 16...1_024, isAllowed: isGraphic,
                description: "16 to 1024 printable ASCII characters without blanks")
        case .webpush, .wns:
            Form(
                lengths: 12...2_048, isAllowed: isGraphic, starts: ["https://"],
                description: "an https:// address of at most 2048 ASCII characters")
        case .channel:
            Form(
                lengths: 4...channelBytesMaximum, isAllowed: { $0.isASCIILetterOrDigit || "+/=".utf8.contains($0) },
                description: "4 to \(channelBytesMaximum) characters of base64")
        case .mpns, .http:
            Form(
                lengths: 11...2_048, isAllowed: isGraphic, starts: ["https://", "http://"],
                description: "an http:// or https:// address of at most 2048 ASCII characters")
        }
    }

    /// Channels excepted, which Apple names in another way.
    fileprivate static func isHexadecimal(_ kind: PushProtocol) -> Bool { kind == .apns || kind == .liveActivity }

    @Sendable private static func isGraphic(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte)
    }
}

extension PushToken {
    /// The stored form: the packing, then the bytes.
    private enum Packing: UInt8 {
        case text = 0
        case hexadecimal = 1
        case sixBits = 2
    }

    var packed: [UInt8] {
        if PushToken.isHexadecimal(kind), let bytes = Hexadecimal.decode(text) {
            return [Packing.hexadecimal.rawValue] + bytes
        }
        if let bytes = PackedText.pack(text) { return [Packing.sixBits.rawValue] + bytes }
        return [Packing.text.rawValue] + Array(text.utf8)
    }

    init?(_ kind: PushProtocol, packed: ArraySlice<UInt8>) {
        guard let packing = packed.first.flatMap(Packing.init(rawValue:)) else { return nil }
        let content = packed.dropFirst()
        let text: String? =
            switch packing {
            case .text: OutsideText.string(content)
            case .hexadecimal: Hexadecimal.encode(content)
            case .sixBits: PackedText.unpack(content)
            }
        guard let text else { return nil }
        self.init(unchecked: kind, text)
    }
}
