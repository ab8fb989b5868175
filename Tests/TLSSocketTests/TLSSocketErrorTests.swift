import TLSSocket
import Testing

@Suite struct TLSSocketErrorTests {
    @Test func onlyWrongSettingsAreForEver() {
        #expect(!TLSSocketError(.untrusted, "").isRetriable)
        #expect(TLSSocketError(.unreachable, "").isRetriable)
    }
}
