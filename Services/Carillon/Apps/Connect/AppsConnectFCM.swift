import Apps
import CommandKit
import JSONKit

/// `carillon apps connect fcm`: a service account of Google.
struct AppsConnectFCM: Command {
    static let declaration = CommandDeclaration(
        "apps connect fcm", purpose: "let an app send through Google, with your service account",
        options: [account, project] + ProviderConnection.options,
        notes: """
            Example: carillon apps connect fcm --service-account account.json

            \(ProviderConnection.notes)
            """)

    private static let account = CommandOption(
        "--service-account", value: "FILE", meaning: "The JSON file with the private key, from the Firebase console")
    private static let project = CommandOption(
        "--project", value: "ID", meaning: "Firebase project (default: that of the service account)")

    private let connection: ProviderConnection
    private let account: ProvidedFile
    private let project: String?

    init(_ arguments: CommandArguments) throws(UsageError) {
        connection = try ProviderConnection(arguments)
        account = ProvidedFile(AppsConnectFCM.account, path: try arguments.required(AppsConnectFCM.account))
        project = arguments.value(AppsConnectFCM.project)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let secret = ProviderEntry.Secret(
            field: "service_account_file", ending: ".json", bytes: try await account.read())
        let fields = JSONObject(project.map { [("project", .string($0))] } ?? [])
        return try await connection.store(
            ProviderEntry(provider: "fcm", fields: fields, secret: secret), from: account, ofProvider: "Google",
            checkedBy: PipelineService.androidSender, in: context)
    }
}
