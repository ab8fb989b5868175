import ServiceKit

/// Two servers with fixed answers, in alternating rounds, so that other load on the machine affects both.
struct HTTPBench {
    private struct Round {
        let bare: Reading
        let ours: Reading
    }

    private struct Reading {
        let rate: Double
        let cpuSeconds: Double
    }

    /// Opens connections and loads code before anything is measured.
    private static let warmUp = 1_000
    private static let idleConnections = 5_000
    private static let task = #"{"users":["user-1"],"message":{"title":"Hello","body":"World"}}"#

    let requests: Int

    func run(rounds count: Int, say: (Int) -> Void) async throws -> [BenchFigure] {
        var rounds: [Round] = []
        for number in 1...count {
            say(number)
            rounds.append(Round(bare: try await measure(.microhttpd), ours: try await measure(.ours)))
        }
        let hundredThousands = Double(requests) / 100_000
        return [
            BenchFigure(
                name: "http.rate", value: rounds.map(\.ours.rate).median, unit: "requests/s",
                ratio: rounds.map { $0.ours.rate / $0.bare.rate }.median),
            BenchFigure(
                name: "http.cpu_per_100k", value: rounds.map { $0.ours.cpuSeconds / hundredThousands }.median,
                unit: "CPU-seconds", ratio: rounds.map { $0.ours.cpuSeconds / $0.bare.cpuSeconds }.median),
            BenchFigure(name: "http.idle.bytes", value: try await idleBytes(), unit: "bytes"),
        ]
    }

    private func measure(_ kind: BareServer.Kind) async throws -> Reading {
        let server = try await BareServer(kind)
        let load = TaskLoad(port: server.port, key: "ck_none", body: HTTPBench.task)
        _ = try await load.run(requests: HTTPBench.warmUp)
        let before = try server.usage()
        let rate = try await load.run(requests: requests).rate
        return Reading(rate: rate, cpuSeconds: try server.usage().cpuSeconds - before.cpuSeconds)
    }

    /// Memory of the server process only; the kernel's socket memory is not included.
    private func idleBytes() async throws -> Double {
        let server = try await BareServer(.ours)
        let before = try server.usage().memoryBytesPeak
        let connections = try await onNativeThread("idle clients") { [port = server.port] in
            Result { try IdleConnections.open(HTTPBench.idleConnections, port: port) }
        }.get()
        let after = try server.usage().memoryBytesPeak
        return Double(after - before) / Double(connections.count)
    }
}
