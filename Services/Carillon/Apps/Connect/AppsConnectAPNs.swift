import Apps
import CommandKit
import JSONKit
import ServiceKit

/// `carillon apps connect apns`: Apple's signing key.
struct AppsConnectAPNs: Command {
    static let declaration = CommandDeclaration(
        "apps connect apns", purpose: "let an app send through Apple, with your signing key",
        options: [keyFile, keyID, teamID, topic] + ProviderConnection.options,
        notes: """
            Example: carillon apps connect apns --key-file AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
              --topic com.example.news

            \(ProviderConnection.notes)
            """)

    private static let keyFile = CommandOption("--key-file", value: "FILE", meaning: "The .p8 file from Apple")
    private static let keyID = CommandOption(
        "--key-id", value: "ID", meaning: "The key's id, 10 characters (default: from the name AuthKey_ID.p8)")
    private static let teamID = CommandOption("--team-id", value: "ID", meaning: "The id of your team, 10 characters")
    private static let topic = CommandOption("--topic", value: "BUNDLE", meaning: "The app's bundle id")

    private let connection: ProviderConnection
    private let key: ProvidedFile
    private let keyID: String
    private let teamID: String
    private let topic: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        connection = try ProviderConnection(arguments)
        key = ProvidedFile(AppsConnectAPNs.keyFile, path: try arguments.required(AppsConnectAPNs.keyFile))
        guard let id = arguments.value(AppsConnectAPNs.keyID) ?? AppsConnectAPNs.keyID(ofFile: key.path) else {
            throw UsageError("--key-id is missing, and --key-file is not named AuthKey_ID.p8")
        }
        keyID = id
        teamID = try arguments.required(AppsConnectAPNs.teamID)
        topic = try arguments.required(AppsConnectAPNs.topic)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let fields = JSONObject([
            ("key_id", .string(keyID)), ("team_id", .string(teamID)), ("topic", .string(topic)),
        ])
        // With the id in its name the former key stays beside the new one until the app file names that.
        let secret = ProviderEntry.Secret(field: "key_file", ending: "-\(keyID).p8", bytes: try await key.read())
        return try await connection.store(
            ProviderEntry(provider: "apns", fields: fields, secret: secret), from: key, ofProvider: "Apple",
            checkedBy: PipelineService.appleSender, in: context)
    }

    /// Apple names the files so.
    private static func keyID(ofFile path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        return String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
    }
}
