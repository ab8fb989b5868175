import HTTPServer
import ServiceKit
import TestSupport
import Testing

@testable import Carillon

/// The command line that the demonstration shows and runs.
@Suite(.timeLimit(.minutes(3))) struct CurlLineTests {
    private let folder = TemporaryDirectory("it's a demo")

    private func line(_ url: String) -> CurlLine {
        let keyFile = folder.write("demo.key", content: "ck_1_secret\n")
        let body = folder.write("task.json", content: #"{"a": 1}"#)
        return CurlLine(keyFile: keyFile, ["-sS", "-H", "Content-Type: application/json", "--data", "@\(body)", url])
    }

    /// Goal: the key is not visible in the list of processes. Method: a script in place of curl prints its arguments,
    /// then its input.
    @Test func theKeyIsNoArgument() async throws {
        _ = try await folder.writeScript("curl", "printf 'argument %s\\n' \"$@\"\ncat")
        let line = line("http://127.0.0.1:9/v1/tasks")
        #expect(!line.text.contains("secret"))
        let path = EnvironmentReader.processEnvironment()["PATH"] ?? ""
        let shell = try ChildProcess(
            "sh", arguments: ["-c", line.text], environment: ["PATH": "\(folder.path):\(path)"])
        #expect(await shell.end() == .exited(0))
        let arguments = shell.lines.filter { $0.hasPrefix("argument ") }
        #expect(arguments.contains("argument Content-Type: application/json"))
        #expect(!arguments.contains { $0.contains("secret") }, "\(arguments)")
        #expect(shell.lines.last == #"user = "ck_1_secret:""#)
    }

    @Test func itIsTakenByCurlAndTheAPI() async throws {
        try await TaskServer.with([.json(#"{"task_id":"t1"}"#, status: .created)]) { server in
            let (answer, isDone) = try await line("\(server.url)/v1/tasks").run()
            #expect(isDone && answer == #"{"task_id":"t1"}"#)
            let request = try #require(server.requests.first)
            #expect(request.target == "POST /v1/tasks" && request.body == #"{"a": 1}"#)
            #expect(request.authorization == "Basic Y2tfMV9zZWNyZXQ6")
        }
    }

    @Test func aFailureIsPrinted() async throws {
        let (_, isDone) = try await line("http://127.0.0.1:\(FreePort.next())/v1/tasks").run()
        #expect(!isDone)
    }
}
