import CommandKit
import Glibc
import HTTP2
import JSONKit
import ServiceKit
import Signing
import TLSSocket

/// A provider-simulator started by the benchmark. The last reference stops it and removes its folder.
final class LocalSimulator: Sendable {
    let authorityFile: String
    let appleTopic: String
    private let announcement: JSON
    private let process: ChildProcess
    private let folder: LocalFolder

    /// Delays each of Apple's answers by `delay`.
    init(delay: Duration = .zero) async throws {
        folder = try LocalFolder("simulator")
        process = try SiblingProgram("provider-simulator").start(
            [], variables: ["CARILLON_SIMULATOR_FOLDER": folder.path])
        guard let line = await process.line(where: { $0.hasPrefix("{\"ready\":true") }) else {
            throw BenchError("provider-simulator did not start: \(process.lines.last ?? "no output")")
        }
        announcement = try JSON(line)
        authorityFile = announcement["ca_file"]?.text ?? ""
        appleTopic = announcement["apns"]?["topic"]?.text ?? ""
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

    /// A text field of the simulator's announcement.
    func text(_ path: String...) throws -> String {
        guard let text = path.reduce(announcement as JSON?, { $0?[$1] })?.text else {
            throw BenchError("the announcement of provider-simulator has no \(path.joined(separator: "."))")
        }
        return text
    }

    /// Endpoint of `apns` or `fcm`.
    func endpoint(_ provider: String) -> HTTP2Endpoint {
        HTTP2Endpoint(
            host: announcement["host"]?.text ?? "", port: LocalSimulator.port(announcement[provider]?["port"]))
    }

    /// Trust settings for its clients.
    var trust: HTTP2Configuration {
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = authorityFile
        return configuration
    }

    func usage() throws -> ProcessReading {
        try ProcessReading(process.processID)
    }

    func appleToken() throws -> String {
        let key = try SigningKey(file: text("apns", "key_file"), for: .es256)
        let team = try text("apns", "team_id")
        return try JWTSigner(key: key, keyID: text("apns", "key_id")).sign { claims in
            claims.member("iss", team)
            claims.member("iat", Int(SystemTimeSource().now.milliseconds / 1_000))
        }.reveal()
    }

    private func add(delay: Duration) async throws {
        let rule = JSONText.object { json in
            json.member("provider", "apns")
            json.member("kind", "delay")
            json.member("fixed", DurationText.print(delay))
        }
        let request = "POST /faults HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(rule.utf8.count)\r\n\r\n\(rule)"
        let port = LocalSimulator.port(announcement["admin_port"])
        let refusal = await onNativeThread("simulator-admin") {
            Result { try LoadConnection(port: port).post(Array(request.utf8)) }
        }
        try refusal.get()
    }

    private static func port(_ value: JSON?) -> UInt16 {
        guard case .integer(let number) = value else { return 0 }
        return UInt16(clamping: number)
    }
}
