import ServiceKit
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("Az09-._~", "Az09-._~"), ("a b/c?d&e=f", "a%20b%2Fc%3Fd%26e%3Df"), ("é+%", "%C3%A9%2B%25"),
    ])
    func onlyUnreservedCharactersAreKept(plain: String, encoded: String) {
        #expect(PercentEncoding.encode(plain) == encoded)
        #expect(PercentEncoding.decode(encoded.utf8) == plain)
        #expect(PercentEncoding.decode(encoded.utf8, plusIsSpace: true) == plain)
    }

    @Test(arguments: ["%", "%4", "%zz", "%+5", "%00", "%FF"])
    func whatIsNoTextIsRefused(encoded: String) {
        #expect(PercentEncoding.decode(encoded.utf8) == nil)
    }
}
