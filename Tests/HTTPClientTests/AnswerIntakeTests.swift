import Testing

@testable import HTTPClient

@Suite struct AnswerIntakeTests {
    @Test func putsAnAnswerTogether() {
        var intake = AnswerIntake(bodyBytesMaximum: 10)
        take(
            &intake, lines: ["HTTP/1.1 200 OK", "Content-Length: 5", "X-Empty:", "retry-after:  7 ", ""], body: "hello")
        #expect(intake.hasAnswer && intake.isWhole && !intake.isCut)
        #expect(intake.response.status == 200 && intake.response.body == Array("hello".utf8))
        #expect(intake.response.header("Retry-After") == "7" && intake.response.header("x-empty") == "")
    }

    @Test func anInterimAnswerIsNone() {
        var intake = AnswerIntake(bodyBytesMaximum: 10)
        take(&intake, lines: ["HTTP/1.1 103 Early Hints", "Link: x", "Content-Length: 0", ""])
        #expect(!intake.hasAnswer && !intake.isWhole)
        take(&intake, lines: ["HTTP/2 204 ", ""])
        #expect(intake.isWhole && intake.response.headers == [])
    }

    /// A header that starts with `HTTP/` must not replace the status: 410 would unregister the device.
    @Test(arguments: [
        ["HTTP/1.1 503 Service Unavailable", "HTTP/1.1 410 Gone", "Content-Length: 0", ""],
        ["HTTP/1.1 503 Service Unavailable", "HTTP/x: 410", "Content-Length: 0", ""],
        ["HTTP/1.1 503 Service Unavailable", "Content-Length: 0", "", "HTTP/1.1 410 Gone", "X-Trailer: 1", ""],
        ["HTTP/1.1 103 Early Hints", "HTTP/1.1 410 Gone", "", "HTTP/1.1 503 ", "Content-Length: 0", ""],
    ])
    func aStatusIsSetOnce(lines: [String]) {
        var intake = AnswerIntake(bodyBytesMaximum: 10)
        take(&intake, lines: lines)
        #expect(intake.status == 503 && intake.response.status == 503)
        #expect(intake.isWhole)
        #expect(intake.response.header("content-length") == "0")
    }

    @Test func aHeaderThatIsNoTextIsLeftOut() {
        var intake = AnswerIntake(bodyBytesMaximum: 10)
        let marks = String(repeating: "\u{301}\u{323}", count: 1_000)
        take(&intake, lines: ["HTTP/1.1 200 OK", "X-\(marks): 1", "Retry-After: \(marks)", "Content-Length: 0", ""])
        #expect(intake.isWhole)
        #expect(intake.response.headers.map(\.name) == ["Content-Length"])
    }

    @Test func aBodyIsCutAtItsBound() {
        var intake = AnswerIntake(bodyBytesMaximum: 4)
        take(&intake, lines: ["HTTP/1.1 200 OK", ""])
        let fits = Array("1234".utf8).withUnsafeBytes { intake.takeBody($0) }
        let exceeds = Array("5".utf8).withUnsafeBytes { intake.takeBody($0) }
        #expect(fits && !exceeds)
        #expect(intake.isCut && intake.response.isCut && intake.response.body == Array("1234".utf8))
    }

    /// A response delimited by its connection may be truncated, and an incomplete header is no answer.
    @Test(arguments: [
        ["HTTP/1.1 200 OK", ""],
        ["HTTP/1.1 200 OK", "Content-Length: 0"],
        ["HTTP/1.1 200 OK", "Content-Length: 1", ""],
        ["HTTP/1.1 200 OK", "Content-Length: x", ""],
        ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 0", ""],
        ["HTTP/1.1 204 No Content"],
        ["HTTP/1.1 abc", "Content-Length: 0", ""],
        ["HTTP/1.1", "Content-Length: 0", ""],
    ])
    func isNotWhole(lines: [String]) {
        var intake = AnswerIntake(bodyBytesMaximum: 10)
        take(&intake, lines: lines)
        #expect(!intake.isWhole)
    }

    @Test func aHeaderHasABound() {
        var intake = AnswerIntake(bodyBytesMaximum: 10)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: AnswerIntake.headerBytesMaximum / 2)
        let answers = (0..<3).map { _ in line.withUnsafeBytes { intake.takeHeader(line: $0) } }
        #expect(answers == [true, true, false])
    }
}

private func take(_ intake: inout AnswerIntake, lines: [String], body: String = "") {
    for line in lines {
        let isTaken = Array((line + "\r\n").utf8).withUnsafeBytes { intake.takeHeader(line: $0) }
        #expect(isTaken)
    }
    let isTaken = Array(body.utf8).withUnsafeBytes { intake.takeBody($0) }
    #expect(isTaken)
}
