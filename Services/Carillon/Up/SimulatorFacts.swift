import JSONKit

/// Announcement of a simulator: its addresses, and the credentials it accepts.
struct SimulatorFacts: Sendable, Equatable {
    let admin: String
    let authorityFile: String
    /// The `providers` of an app file. The key of Web Push is the app's own.
    let providers: JSON
    /// Starts of the addresses of devices, by provider; a name follows.
    let endpoints: [String: String]
    /// Variables that make the senders use the simulator.
    let senderVariables: [String: String]
    /// Variables that make ingest-api accept the addresses of simulated devices, which are not public, and its console
    /// set the simulator's moods.
    let ingestVariables: [String: String]

    private static let loopback = "127.0.0.0/8,::1/128"
    private static let addressProviders = ["webpush", "wns", "mpns", "http"]

    init(announcement: String) throws {
        let json = try JSON(announcement)
        func text(_ path: String...) throws -> String { try SimulatorFacts.text(at: path, of: json) }
        let host = try text("host")
        authorityFile = try text("ca_file")
        admin = try text("admin")
        endpoints = try Dictionary(
            uniqueKeysWithValues: SimulatorFacts.addressProviders.map { ($0, try text($0, "endpoint")) })
        senderVariables = try SimulatorFacts.mobileVariables(json, host: host, authorityFile: authorityFile).merging(
            SimulatorFacts.webVariables(json, host: host, authorityFile: authorityFile)
        ) { $1 }
        ingestVariables = [
            "CARILLON_INGEST_ALLOW_ADDRESSES": SimulatorFacts.loopback, "CARILLON_INGEST_WNS_DOMAINS": host,
            "CARILLON_INGEST_MPNS_DOMAINS": host, "CARILLON_INGEST_CONSOLE_SIMULATOR": admin,
        ]
        let credentials = [
            ("apns", ["key_file", "key_id", "team_id", "topic"]), ("fcm", ["service_account_file"]),
            ("huawei", ["client_id", "client_secret_file"]), ("wns", ["client_id", "client_secret_file"]), ("mpns", []),
            ("http", ["signing_key_file"]),
        ]
        providers = .object(
            JSONObject(
                try credentials.map { provider, fields in
                    (provider, .object(JSONObject(try fields.map { ($0, .string(try text(provider, $0))) })))
                }))
    }

    func variables(of service: String) -> [String: String] {
        if service == PipelineService.ingest { return ingestVariables }
        return PipelineService.senders.contains(service) ? senderVariables : [:]
    }

    private static func mobileVariables(
        _ json: JSON, host: String, authorityFile: String
    ) throws(UpError) -> [String: String] {
        let huawei = "https://\(host):\(try port(of: "huawei", in: json))"
        let apple = try port(of: "apns", in: json)
        return [
            "CARILLON_APNS_HOST": host, "CARILLON_APNS_SANDBOX_HOST": host, "CARILLON_APNS_PORT": apple,
            "CARILLON_APNS_CHANNEL_HOST": host, "CARILLON_APNS_SANDBOX_CHANNEL_HOST": host,
            "CARILLON_APNS_CHANNEL_PORT": apple, "CARILLON_APNS_SANDBOX_CHANNEL_PORT": apple,
            "CARILLON_APNS_CA_FILE": authorityFile,
            "CARILLON_FCM_HOST": host, "CARILLON_FCM_PORT": try port(of: "fcm", in: json),
            "CARILLON_FCM_CA_FILE": authorityFile, "CARILLON_HUAWEI_URL": huawei,
            "CARILLON_HUAWEI_TOKEN_URL": huawei + (try text(at: ["huawei", "token_path"], of: json)),
            "CARILLON_HUAWEI_CA_FILE": authorityFile,
        ]
    }

    private static func webVariables(
        _ json: JSON, host: String, authorityFile: String
    ) throws(UpError) -> [String: String] {
        let wns = "https://\(host):\(try port(of: "wns", in: json))"
        return [
            "CARILLON_WEB_ALLOW_ADDRESSES": loopback,
            "CARILLON_WEBPUSH_SERVICES": "\(host):\(try port(of: "webpush", in: json))",
            "CARILLON_WEBPUSH_CA_FILE": authorityFile, "CARILLON_WNS_DOMAINS": host,
            "CARILLON_WNS_TOKEN_URL": wns + (try text(at: ["wns", "token_path"], of: json)),
            "CARILLON_WNS_TENANT_URL": wns, "CARILLON_WNS_CA_FILE": authorityFile, "CARILLON_MPNS_DOMAINS": host,
            "CARILLON_MPNS_CA_FILE": authorityFile, "CARILLON_HTTP_PUSH_CA_FILE": authorityFile,
        ]
    }

    private static func port(of provider: String, in json: JSON) throws(UpError) -> String {
        try value(at: [provider, "port"], of: json) { $0.compactText }
    }

    private static func text(at path: [String], of json: JSON) throws(UpError) -> String {
        try value(at: path, of: json) { $0.text }
    }

    private static func value<Value>(
        at path: [String], of json: JSON, _ convert: (JSON) -> Value?
    ) throws(UpError) -> Value {
        guard let found = path.reduce(json as JSON?, { $0?[$1] }), let value = convert(found) else {
            throw UpError("provider-simulator did not announce its \(path.joined(separator: "."))")
        }
        return value
    }
}
