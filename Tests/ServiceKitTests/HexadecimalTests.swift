import ServiceKit
import TestSupport
import Testing

@Suite struct HexadecimalTests {
    @Test(arguments: Dice.seeds)
    func whatIsEncodedComesBack(seed: UInt64) {
        var dice = Dice(seed: seed)
        for count in 0..<200 {
            let bytes = dice.bytes(count)
            #expect(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes)
            #expect(Hexadecimal.decode(Hexadecimal.encode(bytes).uppercased()) == bytes)
        }
    }

    @Test(arguments: ["0", "0g", "0x", " 0", "é", "00 "])
    func otherTextsAreNotHexadecimal(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }

    /// Compares the classes with those of `Character`, which agree on ASCII.
    @Test func classesOfBytesAreThoseOfASCII() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.isASCIIDigit == (character.isASCII && character.isNumber))
            #expect(byte.isASCIILetter == (character.isASCII && character.isLetter))
            #expect(byte.isASCIIUppercase == (character.isASCII && character.isUppercase))
            #expect(byte.isASCIILowercase == (character.isASCII && character.isLowercase))
            #expect(byte.isHexDigit == character.isHexDigit)
            #expect(byte.hexDigitValue.map(Int.init) == character.hexDigitValue)
        }
    }
}
