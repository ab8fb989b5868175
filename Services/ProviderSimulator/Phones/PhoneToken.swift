import ServiceKit

/// A token of a simulated phone: 16 random digits and others that derive from them, so that it takes eight bytes of
/// memory, and a push to another token is recognized by its first digits.
struct PhoneToken: Hashable, Sendable {
    enum Kind: Sendable {
        case device
        /// Longer than a device token, as with Apple.
        case liveActivity

        fileprivate var parts: Int {
            switch self {
            case .device: 4
            case .liveActivity: 10
            }
        }
    }

    private static let digitsOfPart = 16

    private let number: UInt64

    /// Never a token that selects a fault.
    static func random(_ random: some RandomSource) -> PhoneToken {
        while true {
            let token = PhoneToken(number: random.next())
            if AppleTokenPrefix.effect(of: token.number.hexadecimal[...]) == nil { return token }
        }
    }

    private init(number: UInt64) {
        self.number = number
    }

    /// From the first digits of a text; the others are checked by `isSpelled`.
    init?(startOf text: String) {
        guard let number = PhoneToken.number(spelledBy: text.utf8.prefix(PhoneToken.digitsOfPart)) else { return nil }
        self.number = number
    }

    func text(as kind: Kind) -> String {
        (0..<kind.parts).map { part($0).hexadecimal }.joined()
    }

    /// In either case of the letters. Makes no text of its own, since each push to a phone is checked.
    func isSpelled(_ text: String, as kind: Kind) -> Bool {
        var text = text
        return text.withUTF8 { text in
            text.count == kind.parts * PhoneToken.digitsOfPart
                && (0..<kind.parts).allSatisfy { part in
                    let start = part * PhoneToken.digitsOfPart
                    let digits = text[start..<start + PhoneToken.digitsOfPart]
                    return PhoneToken.number(spelledBy: digits) == self.part(part)
                }
        }
    }

    /// 16 digits as a number.
    private func part(_ part: Int) -> UInt64 {
        part == 0 ? number : SplitMix64.mixed(number &+ UInt64(part))
    }

    /// Nil for anything but 16 digits.
    private static func number(spelledBy digits: some Collection<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        var count = 0
        for digit in digits {
            guard let value = digit.hexDigitValue else { return nil }
            number = number << 4 | UInt64(value)
            count += 1
        }
        return count == digitsOfPart ? number : nil
    }
}
