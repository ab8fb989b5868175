import CommandKit
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// Remarks of several programs on the terminal of `carillon up`.
@Suite(.timeLimit(.minutes(1))) struct UpReportTests {
    private let terminal = RecordedTerminal()
    private let time = ManualTimeSource()

    private func line(_ message: String, facts: String = "") -> String {
        #"{"time":"t","level":"error","service":"s","message":"\#(message)"\#(facts)}"#
    }

    /// Without the time of day.
    private var shown: [String] { terminal.complaints.map { String($0.dropFirst(9)) } }

    @Test func oneMistakeIsToldOnce() async throws {
        let report = UpReport(terminal, usesStandardError: false, time: time)
        let invalid = line("invalid app file", facts: #","reason":"a.json: no id""#)
        for program in ["reporter", "apns-sender", "web-sender", "ingest-api", "reporter", "event-stream"] {
            report.hear(invalid, of: program, in: .service, file: "/logs/\(program).log", isStarting: false)
        }
        #expect(shown == ["reporter error: invalid app file (reason a.json: no id)"])
        let other = line("invalid app file", facts: #","reason":"b.json: no id""#)
        report.hear(other, of: "web-sender", in: .service, file: "/logs/x.log", isStarting: false)
        #expect(shown.last == "web-sender error: invalid app file (reason b.json: no id)")
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(3))
        #expect(await terminal.hasComplaint { $0.hasSuffix("and 2 other services; see /logs") })
        #expect(shown.last == "the same from apns-sender, web-sender and 2 other services; see /logs")
    }

    @Test func whatFollowsFromAnUnreachableServerIsNotTold() {
        let report = UpReport(terminal, usesStandardError: false, time: time)
        let lost = line("Redis is not reachable", facts: #","address":"127.0.0.1:6379","error":"refused""#)
        report.hear(lost, of: "reporter", in: .service, file: "/logs/x.log", isStarting: false)
        let effect = line("read from Redis failed", facts: #","topic":"a","error":"sent to 127.0.0.1:6379""#)
        for program in ["reporter", "renderer"] {
            report.hear(effect, of: program, in: .service, file: "/logs/x.log", isStarting: false)
        }
        #expect(shown.count == 1)
    }

    @Test func aMistakeIsToldAgainAfterAWhile() {
        var echoes = RemarkEchoes()
        let remark = LogRemark(line("gone"), in: .service)
        for second in [0, 29, 30] {
            guard let remark else { continue }
            let verdict = echoes.judge(remark, of: "reporter", at: .seconds(second))
            #expect(verdict == (second == 29 ? .echo(isFirst: false) : .new))
        }
    }

    /// Goal: mistakes that all differ take bounded memory. Method: the first is forgotten when the limit is exceeded.
    @Test func onlySoManyMistakesAreRemembered() throws {
        var echoes = RemarkEchoes()
        for number in 0...RemarkEchoes.mistakesMaximum {
            let remark = try #require(LogRemark(line("mistake \(number)"), in: .service))
            #expect(echoes.judge(remark, of: "reporter", at: .zero) == .new)
        }
        let first = try #require(LogRemark(line("mistake 0"), in: .service))
        #expect(echoes.judge(first, of: "renderer", at: .zero) == .new)
        let last = try #require(LogRemark(line("mistake \(RemarkEchoes.mistakesMaximum)"), in: .service))
        #expect(echoes.judge(last, of: "renderer", at: .zero) == .echo(isFirst: true))
    }

    /// The error that ends the command contains the output of the program that failed.
    @Test func afterAFailureOnlyTheErrorIsTold() {
        let report = UpReport(terminal, usesStandardError: false, time: time)
        report.hear("cannot start", of: "renderer", in: .service, file: "/logs/x.log", isStarting: true)
        report.tellFailure(of: "renderer")
        report.tellFailure(of: "reporter")
        report.tellUnlessFailed("reporter did not stop cleanly")
        report.hear(line("gone"), of: "reporter", in: .service, file: "/logs/x.log", isStarting: false)
        #expect(shown == ["renderer is not restarted; stopping everything"])
    }
}
