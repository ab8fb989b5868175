import CommandKit
import Glibc
import ServiceKit

/// A provider-simulator started by the benchmark. The last reference stops it and removes its folder.
final class LocalSimulator: Sendable {
    let announcement: SimulatorAnnouncement
    private let process: ChildProcess
    private let folder: LocalFolder

    /// Delays each of Apple's answers by `delay`.
    init(delay: Duration = .zero) async throws {
        folder = try LocalFolder("simulator")
        process = try SiblingProgram("provider-simulator").start(
            [], variables: ["CARILLON_SIMULATOR_FOLDER": folder.path])
        guard let line = await process.line(where: { SimulatorAnnouncement(line: $0) != nil }),
            let announcement = SimulatorAnnouncement(line: line)
        else { throw BenchError("provider-simulator did not start: \(process.lines.last ?? "no output")") }
        self.announcement = announcement
        if delay > .zero { try await add(delay: delay) }
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// 64 digits, unique for each number, and none of the tokens for which the simulator returns errors.
    static func deviceToken(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "1" + String(repeating: "0", count: 63 - digits.count) + digits
    }

    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    private func add(delay: Duration) async throws {
        let rule = JSONText.object { json in
            json.member("provider", "apns")
            json.member("kind", "delay")
            json.member("fixed", DurationText.print(delay))
        }
        let request = "POST /faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(rule.utf8.count)\r\n\r\n\(rule)"
        let refusal = await onNativeThread("simulator-admin") { [port = announcement.adminPort] in
            Result { try LoadConnection(port: port).post(Array(request.utf8)) }
        }
        try refusal.get()
    }
}
