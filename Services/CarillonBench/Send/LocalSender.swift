import CommandKit
import Glibc
import HTTP2
import ServiceKit

/// An apns-sender started by the benchmark, with one app whose key the simulator accepts. The last reference stops it
/// and removes its folder.
final class LocalSender: Sendable {
    private let folder: LocalFolder
    private let process: ChildProcess

    init(app: String, simulator: LocalSimulator, bus: String) async throws {
        folder = try LocalFolder("apps")
        let credentials = try LocalSender.credentials(simulator)
        try folder.write("\(app).json", content: Array(#"{"providers":{"apns":\#(credentials)}}"#.utf8))
        let apple = simulator.endpoint("apns")
        process = try SiblingProgram("apns-sender").start(
            [],
            variables: [
                "CARILLON_BUS": bus, "CARILLON_REDIS": bus, "CARILLON_APPS": folder.path,
                "CARILLON_ADMIN_PORT": "0", "CARILLON_LOG_LEVEL": "info", "CARILLON_APNS_HOST": apple.host,
                "CARILLON_APNS_SANDBOX_HOST": apple.host, "CARILLON_APNS_PORT": "\(apple.port)",
                "CARILLON_APNS_CA_FILE": simulator.authorityFile,
            ])
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// Resources used since its start.
    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    var lastWords: String { process.lines.last ?? "no output" }

    private static func credentials(_ simulator: LocalSimulator) throws -> String {
        let (file, id, team) = (
            try simulator.text("apns", "key_file"), try simulator.text("apns", "key_id"),
            try simulator.text("apns", "team_id")
        )
        return JSONText.object { json in
            json.member("key_file", file)
            json.member("key_id", id)
            json.member("team_id", team)
            json.member("topic", simulator.appleTopic)
        }
    }
}
