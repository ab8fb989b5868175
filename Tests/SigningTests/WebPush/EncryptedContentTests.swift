import PushModel
import ServiceKit
import Signing
import Testing

@Suite struct EncryptedContentTests {
    /// RFC 8188, section 3.1.
    @Test func oneRecordIsReadAsPublished() throws {
        let body = try #require(
            Base64URL.decode("I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"))
        let input = try #require(Base64URL.decode("yqdlZ-tYemfogSmv7Ws5PQ"))
        let header = try #require(EncryptedContentHeader(body))
        #expect(header.recordBytes == 4_096 && header.keyID == [] && header.byteCount == 21)
        let keys = ContentKeys(input: input, salt: header.salt, derivation: KeyDerivation())
        #expect(keys.key == Base64URL.decode("_wniytB-ofscZDh4tbSjHw"))
        #expect(keys.nonce == Base64URL.decode("Bcs8gkIRKLI8GeI8"))
        #expect(try WebPushDecryption.decrypt(body, input: input) == Array("I am the walrus".utf8))
    }

    /// RFC 8188, section 3.2: a push must not be split like that.
    @Test func severalRecordsAreNoPush() throws {
        let body = try #require(
            Base64URL.decode(
                "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA"))
        let input = try #require(Base64URL.decode("BO3ZVPxUlnLORbVGMpbT1Q"))
        let header = try #require(EncryptedContentHeader(body))
        #expect(header.recordBytes == 25 && header.keyID == Array("a1".utf8))
        #expect(throws: WebPushError.severalRecords) { try WebPushDecryption.decrypt(body, input: input) }
        // Its first record alone is authentic, but not the last.
        let first = Array(body.prefix(header.byteCount + 25))
        #expect(throws: WebPushError.notDelimited) { try WebPushDecryption.decrypt(first, input: input) }
    }

    @Test func headersHaveToBeWhole() {
        let header = [UInt8](repeating: 1, count: 16) + [0, 1, 2, 3] + [2, 8, 9]
        for count in 0..<header.count { #expect(EncryptedContentHeader(Array(header.prefix(count))) == nil) }
        let read = EncryptedContentHeader(header + [5])
        #expect(read?.recordBytes == 0x00010203 && read?.keyID == [8, 9] && read?.byteCount == header.count)
    }

    /// RFC 5869, test cases 1 to 3.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 22), Array(UInt8(0)...12), Array(UInt8(0xF0)...0xF9),
            "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
        ),
        (
            Array(0...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF),
            "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        ),
        (
            [UInt8](repeating: 0x0B, count: 22), [], [],
            "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
        ),
    ])
    func keysAreDerivedAsPublished(secret: [UInt8], salt: [UInt8], info: [UInt8], extract: String, output: String) {
        let derivation = KeyDerivation()
        let key = derivation.extract(secret, salt: salt)
        #expect(Hexadecimal.encode(key) == extract)
        #expect(Hexadecimal.encode(derivation.expand(key, info: info, byteCount: 32)) == output)
        #expect(Hexadecimal.encode(derivation.expand(key, info: info, byteCount: 9)) == String(output.prefix(18)))
    }
}
