package import JSONKit
package import ServiceKit

/// A running `provider-simulator` with its own ports and folder. It ends when the last reference is released.
package final class SimulatorProcess: Sendable {
    /// The line it printed, with all ports and files.
    package let announcement: JSON
    private let process: ChildProcess
    private let folder = TemporaryDirectory("simulator")

    package init(_ settings: [String: String] = [:]) async throws {
        let folder = ["CARILLON_SIMULATOR_FOLDER": folder.path]
        process = try ChildProcess.service("provider-simulator", settings: settings.merging(folder) { $1 })
        guard let line = await process.line(where: { $0.hasPrefix("{\"ready\":true") }) else {
            throw SetupError(description: "the simulator did not start: \(process.lines)")
        }
        announcement = try JSON(line)
    }

    /// Returns a value of the announcement, such as `text("apns", "key_file")`.
    package func text(_ path: String...) -> String {
        path.reduce(announcement as JSON?) { $0?[$1] }?.text ?? ""
    }

    /// Returns the port of `apns`, `fcm` or `huawei`.
    package func port(_ provider: String) -> UInt16 {
        SimulatorProcess.port(announcement[provider]?["port"])
    }

    /// Returns the statistics of all providers.
    package func statistics() async throws -> JSON {
        try JSON(await admin("GET", "/stats").body)
    }

    /// Returns the statistics of one provider.
    package func statistics(_ provider: String) async throws -> JSON {
        let all = try await statistics()
        guard let statistics = all[provider] else { throw SetupError(description: "no statistics: \(all)") }
        return statistics
    }

    /// Sends one request to the admin API.
    @discardableResult
    package func admin(_ method: String, _ path: String, body: String = "") async throws -> RawClient.Response {
        let port = SimulatorProcess.port(announcement["admin_port"])
        let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let response = await blocking {
            let client = RawClient(port: port)
            client.send(head + body)
            return client.receiveResponse()
        }
        guard let response else { throw SetupError(description: "the simulator did not answer \(method) \(path)") }
        return response
    }

    /// Stops the simulator and waits until it has ended.
    package func stop() async -> ChildProcess.Ending? {
        process.signal(15)
        return await process.end()
    }

    private static func port(_ value: JSON?) -> UInt16 {
        guard case .integer(let number) = value else { return 0 }
        return UInt16(clamping: number)
    }
}
