import TestSupport
import Testing

@Suite struct CrashReportTests {
    private let printed = CollectingSink()

    @Test(arguments: [
        "Bus/Worker.swift:12: Fatal error: Index out of range",
        "*** Signal 4: Backtracing from 0x7fb6a816df7f... done ***",
    ])
    func theRestIsCopiedFromTheFirstSignOn(sign: String) {
        let report = CrashReport(of: "renderer", to: printed)
        [#"{"level":"info","message":"running"}"#, sign, "  0 handle(_:) + 623"].forEach(report.take)
        #expect(printed.lines == ["renderer: \(sign)", "renderer:   0 handle(_:) + 623"])
    }

    @Test func aReportWithoutEndIsCut() {
        let report = CrashReport(of: "renderer", to: printed)
        report.take("Fatal error: overflow")
        for _ in 1...1_000 { report.take("frame") }
        #expect(printed.lines.count == 200)
    }
}
