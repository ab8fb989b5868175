import Foundation
import ServiceKit
import TestSupport
import Testing

@Suite struct LogTests {
    private let sink = CollectingSink()
    private let time = ManualTimeSource(now: Timestamp(milliseconds: 0))

    @Test func writesOneJSONObjectALine() throws {
        let hostile = "quote \" backslash \\ line\nend\r tab\t bell\u{7} null\0 🔔 \u{2028}"
        log().info(hostile, [.reason: hostile, .count: "3"])
        let line = try #require(sink.lines.first)
        #expect(!line.contains("\n"))
        let members = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(
            members == [
                "time": "1970-01-01T00:00:00.000Z", "level": "info", "service": "renderer", "message": hostile,
                "reason": hostile, "count": "3",
            ])
    }

    @Test func redactsMessagesAndFacts() throws {
        let token = String(repeating: "0a", count: 32)
        log().error("sent to \(token)", [.address: "redis://u:pw@h", .reason: "550e8400-e29b-41d4-a716-446655440000"])
        let line = try #require(sink.lines.first)
        #expect(!line.contains(token) && !line.contains("pw@"))
        #expect(line.contains("550e8400-e29b-41d4-a716-446655440000"))
    }

    @Test func carriesTheTraceReadably() throws {
        let context = TraceContext(random: SeededRandomSource(seed: 1))
        log().tracing(context).info("a")
        log().tracing(nil).info("b")
        #expect(sink.lines.map { $0.contains("\"trace_id\":\"\(context.traceID)\"") } == [true, false])
    }

    @Test(arguments: LogLevel.allCases)
    func keepsQuietBelowItsLevel(level: LogLevel) {
        let log = log(level)
        log.debug("")
        log.info("")
        log.warning("")
        log.error("")
        #expect(sink.lines.count == LogLevel.allCases.filter { $0 >= level }.count)
        #expect(LogLevel(name: level.name) == level)
    }

    private func log(_ level: LogLevel = .debug) -> Log {
        Log(service: "renderer", level: level, sink: sink, time: time)
    }
}
