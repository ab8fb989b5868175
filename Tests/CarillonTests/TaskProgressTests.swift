import CommandKit
import JSONKit
import ServiceKit
import Testing

@testable import Carillon

/// The bar and the last line of a watched task.
@Suite struct TaskProgressTests {
    private func status(
        _ state: String, _ counts: String, cancelled: Bool = false, rest: String = ""
    ) throws -> ReportedTask {
        try #require(
            ReportedTask(
                try JSON(
                    """
                    {"id":"t1","state":"\(state)","cancelled":\(cancelled),"created":"2026-01-31T12:00:00.000Z",
                    "closed":"2026-01-31T12:00:04.050Z","jobs":{"resolved":1,"total":1},"counts":{\(counts)}\(rest)}
                    """)))
    }

    private func bar(_ seconds: Int, ended: Int, of targeted: Int) throws -> ProgressBar {
        var bar = ProgressBar()
        bar.update(with: try status("sending", #""targeted":\#(targeted),"delivered":0"#), uptime: .zero)
        bar.update(
            with: try status("sending", #""targeted":\#(targeted),"delivered":\#(ended)"#), uptime: .seconds(seconds))
        return bar
    }

    @Test func theBarFitsEveryWidth() throws {
        let waiting = #","waiting":{"retry":2,"quiet_hours":30},"receipts":{"opened":7}"#
        let status = try status("sending", #""targeted":4000,"delivered":1000,"failed":20"#, rest: waiting)
        let progress = try bar(2, ended: 1_000, of: 4_000)
        for columns in 1...250 {
            for styling in [Styling(isOn: false), Styling(isOn: true)] {
                let line = progress.bar(status, columns: columns, styling: styling)
                #expect(DisplayWidth.of(line) < columns, "\(columns)")
            }
        }
        let wide = progress.bar(status, columns: 250)
        #expect(wide.contains("] "))
        #expect(wide.hasSuffix("waiting: retry 2, quiet hours 30; receipts: opened 7"))
    }

    @Test func theRestIsTimedWhileSending() throws {
        let progress = try bar(2, ended: 1_000, of: 4_000)
        let sending = try status("sending", #""targeted":4000,"delivered":1000"#)
        #expect(progress.text(sending, hasRest: true) == "sending 1000 of 4000, 500/s, 6 s left, delivered 1000")
        #expect(progress.text(sending) == "sending 1000 of 4000, 500/s, delivered 1000")
        let slow = try bar(2, ended: 10, of: 4_000)
        #expect(
            slow.text(try status("sending", #""targeted":4000,"delivered":10"#), hasRest: true).contains(" 14 min left")
        )
        let idle = try bar(2, ended: 0, of: 4_000)
        #expect(!idle.text(try status("sending", #""targeted":4000,"delivered":0"#), hasRest: true).contains("left"))
        let over = try status("closed", #""targeted":4000,"delivered":1000"#)
        #expect(!progress.text(over, hasRest: true).contains("left"))
        let growing = try #require(
            ReportedTask(
                try JSON(
                    #"{"id":"t","state":"sending","jobs":{"resolved":0,"total":2},"counts":{"targeted":4000,"delivered":1000}}"#
                )))
        #expect(!progress.text(growing, hasRest: true).contains("left"))
    }

    @Test(arguments: [
        (
            "closed", #""targeted":12000,"delivered":12000"#, false,
            "ok: delivered to all 12,000 devices in 4.1 s (2,963/s)"
        ),
        ("closed", #""targeted":1,"delivered":1"#, false, "ok: delivered to 1 device in 4.1 s"),
        (
            "closed", #""targeted":12000,"delivered":11980,"failed":15,"invalid_removed":5"#, false,
            "warning: 11,980 of 12,000 delivered; failed 15, invalid removed 5; see carillon tasks show t1 --app a"
        ),
        (
            "closed", #""targeted":3,"delivered":2,"cancelled":1"#, true,
            "warning: cancelled: 2 of 3 delivered; cancelled 1; see carillon tasks show t1 --app a"
        ),
        ("closed", #""targeted":0"#, false, "warning: no device matched; nothing was sent"),
        ("failed", #""targeted":0"#, false, "error: the task failed: its devices could not be resolved"),
    ])
    func oneLineTellsTheEnd(_ state: String, counts: String, cancelled: Bool, line: String) throws {
        let verdict = TaskVerdict(
            try status(state, counts, cancelled: cancelled), command: { "carillon \($0) --app a" })
        #expect(verdict?.line(.off) == line)
    }

    @Test func withColorAMarkReplacesTheWord() throws {
        let verdict = try #require(TaskVerdict(try status("closed", #""targeted":1,"delivered":1"#)))
        #expect(verdict.line(Styling(isOn: true)).hasPrefix("\u{1B}[32m✓\u{1B}[0m delivered to 1 device"))
        #expect(TaskVerdict(try status("sending", #""targeted":1"#)) == nil)
    }

    @Test(arguments: [
        (#"{"audience":{"all":true}}"#, "the app has no registered device"),
        (#"{"audience":{"topic":"news"}}"#, "carillon subscriptions show news --app a"),
        (#"{"audience":{"any":[{"topic":"a"},{"topic":"it's"}]}}"#, #"carillon subscriptions show 'it'\''s' --app a"#),
        (#"{"audience":{"audience":"vip"}}"#, "carillon audiences show vip --app a"),
        (#"{"users":["u1"],"platforms":["ios"]}"#, "carillon devices list --user u1 --app a"),
        (#"{"users":["u1"],"platforms":["ios"]}"#, "only devices of these platforms are addressed: ios"),
        (#"{"devices":["d1"]}"#, "carillon devices show d1 --app a"),
        (#"{"audience":{"language":"fr"}}"#, "carillon push --dry-run"),
    ])
    func aTaskWithoutDevicesNamesWhatToCheck(_ task: String, cure: String) throws {
        let warning = UnmatchedTask(try JSON(task), command: { "carillon \($0) --app a" }).warning
        #expect(warning.hasPrefix("the task addresses no device, so nothing is sent\n  "))
        #expect(warning.contains(cure), "\(warning)")
    }
}
