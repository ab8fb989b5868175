import JSONKit
import ServiceKit

/// The cost of open consoles in a running pipeline.
struct ConsoleBench: Sendable {
    private static let service = "ingest-api"
    private static let files = [".css", ".js", ".svg"]

    let harness: LocalHarness
    let consoles: Int
    let seconds: Int

    func run(say: (String) -> Void) async throws -> [BenchFigure] {
        let bytes = try await onNativeThread("page") { Result { try pageBytes() } }.get()
        say("a task a second for \(seconds) s without consoles")
        let alone = try await onNativeThread("tasks") { Result { try cpuPercent(beside: nil) } }.get()
        say("the same with \(consoles) consoles")
        let (watched, memory) = try await onNativeThread("consoles") { Result { try measureWatched() } }.get()
        return [
            BenchFigure(name: "console.bytes", value: Double(bytes), unit: "bytes"),
            BenchFigure(
                name: "console.live.cpu_percent", value: watched - alone, unit: "% of a core", ratio: watched / alone),
            BenchFigure(name: "console.live.memory", value: memory, unit: "bytes"),
        ]
    }

    /// The page and every file that it or one of its files names.
    private func pageBytes() throws -> Int {
        let connection = try LoadConnection(port: try harness.port())
        var names: Set<String> = [""]
        var unread = [""]
        var total = 0
        while let name = unread.popLast() {
            let path = "/console" + (name.isEmpty ? "" : "/\(name)")
            let body = try connection.exchange(Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
            total += body.count
            for named in ConsoleBench.names(in: body) where names.insert(named).inserted { unread.append(named) }
        }
        return total
    }

    private static func names(in file: [UInt8]) -> [String] {
        String(decoding: file, as: UTF8.self).split { "\"'`()".contains($0) }
            .filter { text in files.contains { text.hasSuffix($0) } && !text.contains(where: \.isWhitespace) }
            .compactMap { $0.split(separator: "/").last.map(String.init) }
    }

    private func measureWatched() throws -> (cpuPercent: Double, memory: Double) {
        let before = try ProcessReading(try harness.process(ConsoleBench.service))
        let crowd = ListenerCrowd()
        try crowd.open(
            consoles, port: try harness.port(),
            request: """
                GET /v1/live?task=\(try post(LoadConnection(port: try harness.port()))) HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(harness.key.reveal())\r
                \r

                """)
        let percent = try cpuPercent(beside: crowd)
        let after = try ProcessReading(try harness.process(ConsoleBench.service))
        return (percent, Double(after.memoryBytesPeak - before.memoryBytesPeak))
    }

    /// CPU of the service in percent of a core while a task a second is posted, and the crowd reads all messages.
    private func cpuPercent(beside crowd: ListenerCrowd?) throws -> Double {
        let process = try harness.process(ConsoleBench.service)
        let connection = try LoadConnection(port: try harness.port())
        let time = SystemTimeSource()
        let began = time.uptime
        let before = try ProcessReading(process)
        for second in 1...seconds {
            _ = try post(connection)
            try pause(until: began + .seconds(second), reading: crowd, time: time)
        }
        let used = try ProcessReading(process).cpuSeconds - before.cpuSeconds
        return 100 * used / ((time.uptime - began) / .seconds(1))
    }

    private func pause(until end: Duration, reading crowd: ListenerCrowd?, time: any TimeSource) throws {
        while time.uptime < end {
            let left = end - time.uptime
            if let crowd { try crowd.discard(within: left) } else { ListenerCrowd.rest(left) }
        }
    }

    /// Returns the id of the task.
    private func post(_ connection: LoadConnection) throws -> String {
        let answer = try connection.exchange(harness.taskRequest)
        guard let id = (try? JSON(answer))?["id"]?.text else { throw BenchError("the task was not accepted") }
        return id
    }
}
