import CommandKit

/// Posts the same task repeatedly, as fast as it is answered.
struct TaskLoad {
    private static let connections = 64

    let port: UInt16
    let key: String
    let body: String

    func run(requests: Int) async throws -> RequestReading {
        let folder = try LocalFolder("h2load")
        let file = try folder.write("body", content: Array(body.utf8))
        let log = try folder.write("log", content: [])
        let (rate, _) = try await H2Load.run(
            [
                "--h1", "--clients=\(TaskLoad.connections)", "--data=\(file)", "--log-file=\(log)",
                "--header=authorization: Bearer \(key)", "--header=content-type: application/json",
                "http://127.0.0.1:\(port)/v1/tasks",
            ], requests: requests)
        return RequestReading(rate: rate, milliseconds: try H2Load.milliseconds(inLog: log))
    }
}

/// Rate of requests, and the latency of each.
struct RequestReading: Sendable {
    let rate: Double
    let milliseconds: [Double]
}
