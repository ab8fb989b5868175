import ProviderKit
import ServiceKit
import TestSupport
import Testing

@Suite struct RetryAfterTests {
    /// 2026-01-01T00:00:00Z, a Thursday.
    private let now = ManualTimeSource().now

    @Test(arguments: [
        ("0", 0), ("120", 120), ("3600", 3_600), ("99999", 3_600), ("99999999999999999999", 3_600),
        ("Thu, 01 Jan 2026 00:01:30 GMT", 90), ("Wed, 31 Dec 2025 23:00:00 GMT", 0),
    ]) func readsBothForms(_ text: String, seconds: Int) {
        #expect(RetryAfter.wait(text, now: now) == .seconds(seconds))
    }

    @Test(arguments: [
        "", " ", "-1", "+5", "1.5", "soon", "Thu, 01 Jan 2026", "Thu, 32 Jan 2026 00:00:00 GMT",
        "Thu, 01 Foo 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:00 UTC", "Thu,  01 Jan 2026 00:00:00 GMT", "٣",
    ]) func whatIsNeitherSaysNothing(_ text: String) {
        #expect(RetryAfter.wait(text, now: now) == nil)
    }

    @Test func withoutAHeaderThereIsNothing() {
        #expect(RetryAfter.wait(nil, now: now) == nil)
    }
}
