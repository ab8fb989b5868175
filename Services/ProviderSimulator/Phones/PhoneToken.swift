import ServiceKit

/// A token of a simulated phone: 16 random digits and others that derive from them, so that it takes eight bytes of
/// memory, and a push to another token is recognized by its first digits.
struct PhoneToken: Hashable, Sendable {
    enum Kind: Sendable {
        case device
        /// Longer than a device token, as with Apple.
        case liveActivity

        fileprivate var parts: UInt64 {
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
        var number: UInt64 = 0
        var digits = 0
        for character in text.utf8.prefix(PhoneToken.digitsOfPart) {
            guard let value = character.hexDigitValue else { return nil }
            number = number << 4 | UInt64(value)
            digits += 1
        }
        guard digits == PhoneToken.digitsOfPart else { return nil }
        self.number = number
    }

    func text(as kind: Kind) -> String {
        (0..<kind.parts).map { part in
            (part == 0 ? number : SplitMix64.mixed(number &+ part)).hexadecimal
        }.joined()
    }

    /// In either case of the letters.
    func isSpelled(_ text: String, as kind: Kind) -> Bool {
        self.text(as: kind).utf8.elementsEqual(text.utf8.lazy.map { $0.isASCIIUppercase ? $0 | 0x20 : $0 })
    }
}
