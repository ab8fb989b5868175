import TestSupport
import Testing

/// Every decoder must create its texts with `OutsideText`, so that comparing them takes linear time. This test finds
/// new decoders that do not.
@Suite struct OutsideTextTests {
    private static let sources = ["Shared", "Services"].flatMap { SourceTree.swiftSources(under: $0) }

    @Test func decodersMakeTextsThroughOneGate() {
        #expect(OutsideTextTests.sources.count > 300)
        for path in OutsideTextTests.sources where !isAllowed(path) {
            let lines = OutsideTextRules.conversions(in: SourceTree.text(path) ?? "")
            #expect(lines == [], "\(path) makes a String of bytes: use OutsideText, or add it to OutsideTextRules")
        }
    }

    @Test func everyAllowanceIsUsed() {
        for allowance in OutsideTextRules.allowances {
            let uses = OutsideTextTests.sources.filter { $0.hasPrefix(allowance.path) }
                .flatMap { OutsideTextRules.conversions(in: SourceTree.text($0) ?? "") }
            #expect(!uses.isEmpty, "\(allowance.path) no longer needs an allowance")
        }
    }

    @Test func conversionsAreSeen() {
        let source = """
            let a = String(decoding: bytes, as: UTF8.self)
            // String(decoding: bytes, as: UTF8.self)
            let b = "failed: \\(String(cString: strerror(errno)))"
            let c = "\\(String(cString: strerror(errno))) \\(String(cString: name))"
            let d = String(validating: bytes, as: UTF8.self)
            let e = OutsideText.string(bytes)
            let f = pointer.map { String(cString: $0) }
            """
        #expect(OutsideTextRules.conversions(in: source) == [1, 4, 5, 7])
    }

    private func isAllowed(_ path: String) -> Bool {
        OutsideTextRules.allowances.contains { path.hasPrefix($0.path) }
    }
}
