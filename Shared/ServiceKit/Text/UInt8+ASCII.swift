/// Classes of ASCII characters. The properties of `Character` include other scripts. Inlinable, since parsers check
/// every byte.
extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    @inlinable package var isASCIIUppercase: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
    @inlinable package var isASCIILowercase: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    @inlinable package var isASCIILetter: Bool { isASCIILowercase || isASCIIUppercase }
    @inlinable package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
    @inlinable package var isHexDigit: Bool { hexDigitValue != nil }

    /// In either case; nil for other characters.
    @inlinable package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
