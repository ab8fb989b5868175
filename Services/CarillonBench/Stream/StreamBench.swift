import CommandKit
import Glibc
import ServiceKit

/// Idle streams and events for all of them, in a running pipeline; and the same number of sockets of a bare loop.
struct StreamBench: Sendable {
    private struct Reading {
        /// Of each event, the 99th percentile over all listeners.
        let latencies: [Double]
        let cpuSeconds: Double
    }

    private static let service = "event-stream"

    let harness: LocalHarness
    let listeners: Int
    let events: Int

    func run(say: (String) -> Void) async throws -> [BenchFigure] {
        say("\(listeners) streams")
        let (idle, ours, peak) = try await onNativeThread("listeners") { Result { try measureOurs() } }.get()
        say("\(listeners) sockets of a bare loop")
        let server = try await BareServer(.fanout)
        let bare = try await onNativeThread("listeners") { Result { try measureBare(server) } }.get()
        return [
            BenchFigure(name: "stream.idle.bytes", value: idle, unit: "bytes"),
            BenchFigure(
                name: "stream.fanout_\(size).p99", value: ours.latencies.median, unit: "ms",
                ratio: ours.latencies.median / bare.latencies.median),
            BenchFigure(name: "stream.fanout_\(size).p99_worst", value: ours.latencies.max() ?? 0, unit: "ms"),
            BenchFigure(
                name: "stream.cpu_per_event", value: ours.cpuSeconds / Double(events), unit: "CPU-seconds",
                ratio: ours.cpuSeconds / bare.cpuSeconds),
            BenchFigure(name: "stream.memory", value: peak, unit: "bytes"),
        ]
    }

    private var size: String { listeners % 1_000 == 0 ? "\(listeners / 1_000)k" : "\(listeners)" }

    /// From the request that posts the task until the listeners have it: through ingest and resolver too.
    private func measureOurs() throws -> (idle: Double, reading: Reading, peak: Double) {
        let process = try harness.process(StreamBench.service)
        let crowd = ListenerCrowd()
        let request = """
            GET /subscribe?events=bench HTTP/1.1\r
            Host: 127.0.0.1\r
            Accept: text/event-stream\r
            Authorization: Bearer \(harness.key.reveal())\r
            \r

            """
        let before = try ProcessReading(process)
        try crowd.open(listeners, port: try harness.streamPort(), request: request)
        let opened = try ProcessReading(process)
        let connection = try LoadConnection(port: try harness.port())
        let latencies = try (0..<events).map { _ in
            try crowd.measure { try connection.post(harness.taskRequest) }.percentile(99)
        }
        let after = try ProcessReading(process)
        return (
            Double(opened.memoryBytesPeak - before.memoryBytesPeak) / Double(listeners),
            Reading(latencies: latencies, cpuSeconds: after.cpuSeconds - opened.cpuSeconds),
            Double(after.memoryBytesPeak)
        )
    }

    private func measureBare(_ server: BareServer) throws -> Reading {
        let control = LoopbackSocket.connect(port: server.port)
        defer { close(control) }
        let crowd = ListenerCrowd()
        try crowd.open(listeners, port: server.port, request: "GET / HTTP/1.1\r\n\r\n")
        let before = try server.usage()
        let latencies = try (0..<events).map { _ in
            try crowd.measure { _ = write(control, [0], 1) }.percentile(99)
        }
        return Reading(latencies: latencies, cpuSeconds: try server.usage().cpuSeconds - before.cpuSeconds)
    }
}
