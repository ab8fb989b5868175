/// A color as publishers write it: `#RRGGBB`, or `#AARRGGBB` with its opacity.
package struct HexColor: Hashable, Sendable {
    package static let white = HexColor(alpha: .max, red: .max, green: .max, blue: .max)

    package let alpha: UInt8
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(alpha: UInt8, red: UInt8, green: UInt8, blue: UInt8) {
        self.alpha = alpha
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Nil for a text of another form.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 7 || bytes.count == 9, bytes[0] == UInt8(ascii: "#") else { return nil }
        var parts: [UInt8] = []
        for start in stride(from: 1, to: bytes.count, by: 2) {
            guard let high = HexColor.digit(bytes[start]), let low = HexColor.digit(bytes[start + 1]) else {
                return nil
            }
            parts.append(high << 4 | low)
        }
        if parts.count == 3 { parts.insert(.max, at: 0) }
        self.init(alpha: parts[0], red: parts[1], green: parts[2], blue: parts[3])
    }

    /// Without its opacity, for providers that accept none.
    package var opaqueText: String { "#\(HexColor.text(of: red))\(HexColor.text(of: green))\(HexColor.text(of: blue))" }

    /// The shorter form if it is opaque.
    package var text: String { alpha == .max ? opaqueText : "#\(HexColor.text(of: alpha))\(opaqueText.dropFirst())" }

    private static func text(of part: UInt8) -> String {
        let digits = String(part, radix: 16, uppercase: true)
        return part < 16 ? "0\(digits)" : digits
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
