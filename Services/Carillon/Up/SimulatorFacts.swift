import JSONKit

/// Announcement of a simulator: its addresses, and the credentials it accepts.
struct SimulatorFacts: Sendable, Equatable {
    let admin: String
    let authorityFile: String
    /// The `providers` of an app file.
    let providers: JSON
    /// Variables that make the senders use the simulator.
    let senderVariables: [String: String]

    init(announcement: String) throws {
        let json = try JSON(announcement)
        func text(_ path: String...) throws -> String {
            try SimulatorFacts.value(at: path, of: json) { $0.text }
        }
        func port(_ provider: String) throws -> String {
            try SimulatorFacts.value(at: [provider, "port"], of: json) { $0.compactText }
        }
        let host = try text("host")
        authorityFile = try text("ca_file")
        admin = try text("admin")
        let huawei = "https://\(host):\(try port("huawei"))"
        senderVariables = [
            "CARILLON_APNS_HOST": host, "CARILLON_APNS_SANDBOX_HOST": host, "CARILLON_APNS_PORT": try port("apns"),
            "CARILLON_APNS_CA_FILE": authorityFile, "CARILLON_FCM_HOST": host, "CARILLON_FCM_PORT": try port("fcm"),
            "CARILLON_FCM_CA_FILE": authorityFile, "CARILLON_HUAWEI_URL": huawei,
            "CARILLON_HUAWEI_TOKEN_URL": huawei + (try text("huawei", "token_path")),
            "CARILLON_HUAWEI_CA_FILE": authorityFile,
        ]
        let apns = try ["key_file", "key_id", "team_id", "topic"].map { ($0, JSON.string(try text("apns", $0))) }
        let fcm = [("service_account_file", JSON.string(try text("fcm", "service_account_file")))]
        let huaweiFields = try ["client_id", "client_secret_file"].map { ($0, JSON.string(try text("huawei", $0))) }
        providers = .object(
            JSONObject([
                ("apns", .object(JSONObject(apns))), ("fcm", .object(JSONObject(fcm))),
                ("huawei", .object(JSONObject(huaweiFields))),
            ]))
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
