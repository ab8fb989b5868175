import Apps
import CommandKit
import JSONKit

/// `carillon apps connect huawei`: an app's client in AppGallery Connect.
struct AppsConnectHuawei: Command {
    static let declaration = CommandDeclaration(
        "apps connect huawei", purpose: "let an app send through Huawei, with its client secret",
        options: [clientID, secretFile, project] + ProviderConnection.options,
        notes: """
            Example: carillon apps connect huawei --client-id 100123456 --client-secret-file secret

            \(ProviderConnection.notes)
            """)

    private static let clientID = CommandOption(
        "--client-id", value: "ID", meaning: "The app's id in AppGallery Connect")
    private static let secretFile = CommandOption(
        "--client-secret-file", value: "FILE", meaning: "A file that contains the app's client secret")
    private static let project = CommandOption(
        "--project", value: "ID", meaning: "Project; with it messages use Huawei's v2 interface (default: v1)")

    private let connection: ProviderConnection
    private let clientID: String
    private let secret: ProvidedFile
    private let project: String?

    init(_ arguments: CommandArguments) throws(UsageError) {
        connection = try ProviderConnection(arguments)
        clientID = try arguments.required(AppsConnectHuawei.clientID)
        secret = ProvidedFile(
            AppsConnectHuawei.secretFile, path: try arguments.required(AppsConnectHuawei.secretFile))
        project = arguments.value(AppsConnectHuawei.project)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let fields =
            [("client_id", JSON.string(clientID))] + (project.map { [("project", JSON.string($0))] } ?? [])
        let secret = ProviderEntry.Secret(
            field: "client_secret_file", ending: ".secret", bytes: try await self.secret.read())
        return try await connection.store(
            ProviderEntry(provider: "huawei", fields: JSONObject(fields), secret: secret), from: self.secret,
            ofProvider: "Huawei",
            checkedBy: PipelineService.androidSender, in: context)
    }
}
