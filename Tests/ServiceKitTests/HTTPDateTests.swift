import ServiceKit
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (1_709_208_000_999, "Thu, 29 Feb 2024 12:00:00 GMT"),
    ])
    func isWrittenAsHTTPHasIt(milliseconds: Int, text: String) {
        #expect(Timestamp(milliseconds: Int64(milliseconds)).httpDate == text)
    }
}
