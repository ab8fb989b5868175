import CommandKit
import Glibc
import HTTP2
import PushModel
import ServiceKit

/// A sender started by the benchmark, with one app. The last reference stops it and removes its folder.
final class LocalSender: Sendable {
    private let folder: LocalFolder
    private let process: ChildProcess

    /// `providers` is that part of the app file, and `files` are those it refers to.
    init(
        _ program: String, app: AppID, providers: String, files: [String: Secret] = [:], variables: [String: String],
        bus: String
    ) throws {
        folder = try LocalFolder("apps")
        for (name, content) in files { try folder.write(name, content: Array(content.reveal().utf8)) }
        try folder.write("\(app).json", content: Array(#"{"providers":\#(providers)}"#.utf8))
        process = try SiblingProgram(program).start(
            [],
            variables: [
                "CARILLON_BUS": bus, "CARILLON_REDIS": bus, "CARILLON_APPS": folder.path,
                "CARILLON_ADMIN_PORT": "0", "CARILLON_LOG_LEVEL": "info",
            ].merging(variables) { $1 })
    }

    /// An apns-sender whose app's key the simulator accepts.
    static func apple(_ simulator: LocalSimulator, app: AppID, bus: String) throws -> LocalSender {
        let simulator = simulator.announcement
        let apple = simulator.endpoint("apns")
        return try LocalSender(
            "apns-sender", app: app, providers: #"{"apns":\#(try credentials(simulator))}"#,
            variables: [
                "CARILLON_APNS_HOST": apple.host, "CARILLON_APNS_SANDBOX_HOST": apple.host,
                "CARILLON_APNS_CHANNEL_HOST": apple.host, "CARILLON_APNS_SANDBOX_CHANNEL_HOST": apple.host,
                "CARILLON_APNS_CHANNEL_PORT": "\(apple.port)",
                "CARILLON_APNS_SANDBOX_CHANNEL_PORT": "\(apple.port)",
                "CARILLON_APNS_PORT": "\(apple.port)", "CARILLON_APNS_CA_FILE": simulator.authorityFile,
            ], bus: bus)
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// Resources used since its start.
    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    var lastWords: String { process.lines.last ?? "no output" }

    private static func credentials(_ simulator: SimulatorAnnouncement) throws -> String {
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
