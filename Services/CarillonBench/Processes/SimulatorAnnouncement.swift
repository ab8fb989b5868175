import HTTP2
import JSONKit
import ServiceKit
import Signing
import TLSSocket

/// The line with which a provider-simulator announces its addresses and credentials.
struct SimulatorAnnouncement: Sendable {
    private let json: JSON

    init?(line: String) {
        guard line.hasPrefix("{\"ready\":true"), let json = try? JSON(line) else { return nil }
        self.json = json
    }

    var authorityFile: String { json["ca_file"]?.text ?? "" }
    var appleTopic: String { json["apns"]?["topic"]?.text ?? "" }
    var adminPort: UInt16 { SimulatorAnnouncement.port(json["admin_port"]) }

    func text(_ path: String...) throws -> String {
        guard let text = path.reduce(json as JSON?, { $0?[$1] })?.text else {
            throw BenchError("the announcement of provider-simulator has no \(path.joined(separator: "."))")
        }
        return text
    }

    /// Endpoint of `apns` or `fcm`.
    func endpoint(_ provider: String) -> HTTP2Endpoint {
        HTTP2Endpoint(host: json["host"]?.text ?? "", port: SimulatorAnnouncement.port(json[provider]?["port"]))
    }

    /// Trust settings for its clients.
    var trust: HTTP2Configuration {
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = authorityFile
        return configuration
    }

    func appleToken() throws -> String {
        let key = try SigningKey(file: text("apns", "key_file"), for: .es256)
        let team = try text("apns", "team_id")
        return try JWTSigner(key: key, keyID: text("apns", "key_id")).sign { claims in
            claims.member("iss", team)
            claims.member("iat", Int(SystemTimeSource().now.milliseconds / 1_000))
        }.reveal()
    }

    private static func port(_ value: JSON?) -> UInt16 {
        guard case .integer(let number) = value else { return 0 }
        return UInt16(clamping: number)
    }
}
