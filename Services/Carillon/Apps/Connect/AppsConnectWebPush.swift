import Apps
import CommandKit
import JSONKit

/// `carillon apps connect webpush`: a key pair that browsers already know.
struct AppsConnectWebPush: Command {
    static let declaration = CommandDeclaration(
        "apps connect webpush", purpose: "let an app send to browsers with a key that their subscriptions know",
        options: [keyFile, contact] + ProviderConnection.options,
        notes: """
            For subscriptions that were made with this key elsewhere; carillon apps web-push makes a new key. There is no
            provider to ask: a push service compares the key with that of the subscription. Subscriptions made with
            the app's former key end.

            \(AppsPlace.notes)
            """)

    private static let keyFile = CommandOption(
        "--key-file", value: "FILE", meaning: "The P-256 private key (VAPID) as PEM")
    private static let contact = CommandOption(
        "--contact", value: "ADDRESS", meaning: "Where push services reach you, mailto: or https:")

    private let connection: ProviderConnection
    private let key: ProvidedFile
    private let contact: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        connection = try ProviderConnection(arguments)
        key = ProvidedFile(AppsConnectWebPush.keyFile, path: try arguments.required(AppsConnectWebPush.keyFile))
        contact = try arguments.required(AppsConnectWebPush.contact)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        // Not the name of the key that `apps web-push` makes: that one is never replaced.
        let secret = ProviderEntry.Secret(field: "key_file", ending: "-own.pem", bytes: try await key.read())
        return try await connection.store(
            ProviderEntry(
                provider: "webpush", fields: JSONObject([("contact", .string(contact))]), secret: secret), from: key,
            ofProvider: "browsers", checkedBy: nil, in: context)
    }
}
