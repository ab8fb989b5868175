import ServiceKit
import TestSupport
import Testing

/// A service as a process, with its admin port.
final class RunningProgram: Sendable {
    private let process: ChildProcess
    private let adminPort: UInt16

    init(_ name: String, settings: [String: String]) async throws {
        adminPort = FreePort.next()
        process = try ChildProcess.service(
            name, settings: settings.merging(["CARILLON_ADMIN_PORT": "\(adminPort)"]) { $1 })
        guard await process.line(where: { $0.contains("\"message\":\"running\"") }) != nil else {
            throw SetupError(description: "\(name) did not start: \(process.lines)")
        }
    }

    /// Its log so far, for the message of a failed test.
    var lines: [String] { process.lines }
    var ending: ChildProcess.Ending? { process.ending }

    /// Waits for a log line that contains this text; false when none comes.
    func hasLogged(_ text: String) async -> Bool {
        await process.line { $0.contains(text) } != nil
    }

    /// Sends SIGTERM; returns how the process ended.
    func stop() async -> ChildProcess.Ending? {
        process.signal(15)
        return await process.end()
    }

    func kill9() async {
        process.signal(9)
        #expect(await process.end() == .signalled(9))
    }

    /// Returns the value of the metric whose line has this prefix.
    func metric(_ line: String) async throws -> Int {
        let metrics = try await metrics()
        return try #require(RunningProgram.value(of: line, in: metrics), "no \(line) in \(metrics)")
    }

    /// Waits until the metric exists and is above zero: a metric with the name of a topic exists only once the topic's
    /// consumer does, shortly after the program is running.
    func hasCounted(_ line: String) async throws {
        try await waitUntil { RunningProgram.value(of: line, in: try await metrics()) ?? 0 > 0 }
    }

    private func metrics() async throws -> String {
        let port = adminPort
        let answer = await blocking {
            let client = RawClient(port: port)
            client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client.receiveResponse()
        }
        return try #require(answer, "no answer to /metrics").text
    }

    private static func value(of line: String, in metrics: String) -> Int? {
        let found = metrics.split(separator: "\n").first { $0.hasPrefix(line) }
        return found?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
    }

    /// Peak resident memory of the process.
    func residentBytesMost() throws -> Int {
        let status = try #require(SmallFile.read("/proc/\(process.processID)/status", bytesMaximum: 64 << 10))
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split { !("0"..."9" ~= $0) }.first.flatMap { Int($0) }
        return try #require(kibibytes) << 10
    }
}
