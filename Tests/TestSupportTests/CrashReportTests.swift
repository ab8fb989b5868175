import ServiceKit
import TestSupport
import Testing

@Suite struct CrashReportTests {
    private let printed = Monitor<[String]>([])

    private func report() -> CrashReport {
        CrashReport(of: "renderer") { [printed] line in printed.change { $0.append(line) } }
    }

    @Test(arguments: [
        "Bus/Worker.swift:12: Fatal error: Index out of range",
        "*** Signal 4: Backtracing from 0x7fb6a816df7f... done ***",
        "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200000",
        "WARNING: ThreadSanitizer: data race (pid=12)",
    ])
    func theRestIsCopiedFromTheFirstSignOn(sign: String) {
        let report = report()
        [#"{"level":"info","message":"running"}"#, sign, "  0 handle(_:) + 623"].forEach(report.take)
        #expect(printed.withLock { $0 } == ["renderer: \(sign)", "renderer:   0 handle(_:) + 623"])
    }

    @Test func aReportWithoutEndIsCut() {
        let report = report()
        report.take("Fatal error: overflow")
        for _ in 1...1_000 { report.take("frame") }
        #expect(printed.withLock { $0.count } == 200)
    }
}
