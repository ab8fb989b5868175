import TestSupport
import Testing

@testable import PushModel

@Suite struct EncodingTests {
    /// RFC 4648 section 10, without padding, and bytes that need the two URL-safe characters.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64IsThatOfTheStandard(plain: String, encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test func base64TakesTheAlphabetForAddresses() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
        #expect(Base64URL.decode("-__-") == [0xFB, 0xFF, 0xFE])
        #expect(Base64URL.decode("+//+") == nil)
    }

    @Test(arguments: ["Z", "Zg==", "Zm8=", "Zh", "Zm9", "Zm9vY", "Zm 9v", "Zm9\n", "Zmé", "AAAAA"])
    func eachValueHasOneSpelling(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: Dice.seeds)
    func whatIsEncodedComesBack(seed: UInt64) {
        var dice = Dice(seed: seed)
        for count in 0..<200 {
            let bytes = dice.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test func integersHaveTheLowestByteFirst() {
        var bytes: [UInt8] = []
        bytes.append(integer: UInt32(0x0102_0304))
        bytes.append(integer: Int64(-2))
        bytes.append(integer: UInt8(9))
        #expect(bytes == [4, 3, 2, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 9])
        var reader = ByteReader(bytes)
        let (first, second, third) = (
            reader.integer(UInt32.self), reader.integer(Int64.self), reader.integer(UInt8.self)
        )
        #expect(first == 0x0102_0304 && second == -2 && third == 9)
        #expect(reader.isAtEnd)
        let fourth = reader.integer(UInt16.self)
        #expect(fourth == nil)
    }

    @Test(arguments: [
        (0, [0]), (127, [127]), (128, [0x80, 1]), (300, [0xAC, 2]), ((1 << 35) - 1, [0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
    ])
    func lengthsTakeSevenBitsAByte(value: Int, expected: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.append(variableInteger: value)
        #expect(bytes == expected)
        var reader = ByteReader(bytes)
        let read = reader.variableInteger()
        #expect(read == value && reader.isAtEnd)
    }

    /// Goal: wrong lengths end the reading, and it never goes beyond the bytes.
    @Test(
        arguments: [
            [0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [5, 1, 2, 3], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1], [],
        ] as [[UInt8]])
    func aLengthThatLiesIsFound(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        let content = reader.counted()
        #expect(content == nil)
    }

    @Test func theReaderKeepsToItsSlice() {
        let bytes: [UInt8] = [9, 9, 2, 65, 66, 9]
        var reader = ByteReader(bytes[2..<5])
        let text = reader.text()
        #expect(text == "AB" && reader.isAtEnd)
        let negative = reader.bytes(-1)
        #expect(negative == nil)
    }

    @Test func anFCMTokenTakesAQuarterLess() throws {
        let text = "cXy-_0912aBcDeFgHiJkLm:" + String(repeating: "APA91bE", count: 20)
        #expect(text.utf8.count == 163)
        let packed = try #require(PackedText.pack(text))
        #expect(packed.count == 2 + 1 + 122)
        #expect(PackedText.unpack(packed[...]) == text)
    }

    @Test(arguments: Dice.seeds)
    func packedTextComesBack(seed: UInt64) {
        var dice = Dice(seed: seed)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for length in 12...300 {
            var text = dice.text(length...length, of: alphabet)
            if dice.chance(2, of: 3) {
                text.insert(":", at: text.index(text.startIndex, offsetBy: dice.number(below: length + 1)))
            }
            #expect(PackedText.pack(text).flatMap { PackedText.unpack($0[...]) } == text, "\(text)")
        }
    }

    @Test(arguments: [
        "", "short", "12345678901", "aaaaaaaaaaaaaaaa.aaaaaaa", "aaaaaaaa:aaaaaa:aaaaaaaa", "ééééééééééééééé",
    ])
    func whatWouldNotBecomeShorterStaysText(text: String) {
        #expect(PackedText.pack(text) == nil)
    }

    @Test(arguments: Dice.seeds)
    func packedTextBearsHostileBytes(seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<2_000 {
            let text = PackedText.unpack(dice.bytes(dice.number(below: 40))[...])
            #expect((text?.utf8.count ?? 0) <= 60)
        }
        #expect(PackedText.unpack([0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F][...]) == nil)
        // A colon beyond the end of the text.
        #expect(PackedText.unpack([2, 4, 0, 0][...]) == nil)
        #expect(PackedText.unpack([2, 3, 0, 0][...]) == "AA:")
    }
}
