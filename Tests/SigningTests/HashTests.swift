import ServiceKit
import Signing
import Testing

@Suite struct HashTests {
    /// FIPS 180-2, appendix B.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func digestsAsPublished(message: String, digest: String) {
        #expect(Hexadecimal.encode(SHA256.digest(of: Array(message.utf8))) == digest)
    }

    /// RFC 4231, test cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func authenticatesAsPublished(key: [UInt8], message: String, code: String) throws {
        let key = HMACKey(key)
        let expected = try #require(Hexadecimal.decode(code))
        #expect(key.code(for: Array(message.utf8)) == expected)
        #expect(key.isCode(expected, for: Array(message.utf8)))
        #expect(!key.isCode(expected, for: Array((message + ".").utf8)))
        #expect(!key.isCode(Array(expected.dropLast()), for: Array(message.utf8)))
    }

    @Test func anEmptyKeyAndAnEmptyMessageHaveACode() {
        let code = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(Hexadecimal.encode(HMACKey([]).code(for: [])) == code)
    }

    @Test func comparesEveryByteAndTheLength() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.areEqual([0, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
    }

    @Test func randomBytesDoNotRepeat() {
        let drawn = (0..<1_000).map { _ in SecureRandom.bytes(32) }
        #expect(Set(drawn).count == drawn.count)
        #expect(drawn.allSatisfy { $0.count == 32 })
        #expect(SecureRandom.bytes(0) == [])
    }

    @Test func aKeyDoesNotPrintItself() {
        let key = HMACKey(Array("swordfish".utf8))
        #expect("\(key)\(String(reflecting: key))" == "[secret][secret]")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
