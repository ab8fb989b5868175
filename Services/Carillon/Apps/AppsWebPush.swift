import Apps
import CommandKit
import PushModel
import ServiceKit

/// `carillon apps web-push`: the key of an app for browsers.
struct AppsWebPush: Command {
    static let declaration = CommandDeclaration(
        "apps web-push", purpose: "show an app's public key for browsers, and make one if it has none",
        operands: "NAME", options: [contact, .json, .data],
        notes: """
            The private key is written to secrets/webpush/NAME.pem beside the folder of the apps, readable for this user
            only. An existing key is never replaced, since every subscription of a browser is bound to it.
            """)

    static let contact = CommandOption(
        "--contact", value: "ADDRESS",
        meaning: """
            Where push services reach you, mailto: or https: (default: the contact in the app file, else a placeholder \
            without a mailbox)
            """)

    private let app: AppID
    private let place: AppsPlace
    private let contact: String?
    private let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        app = try arguments.app()
        place = AppsPlace(arguments)
        contact = try arguments.webPushContact()
        isJSON = arguments.has(.json)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let editor = AppEditor(try place.configuration(context), now: SystemTimeSource().now)
        let key = try await AppsWebPush.key(of: app, contact: contact, by: editor)
        context.terminal.print(
            isJSON ? AppsWebPush.json(key, of: app) : AppsWebPush.report(key, of: app, at: place, in: context))
        return 0
    }

    static func key(
        of app: AppID, contact: String?, by editor: AppEditor
    ) async throws -> AppEditor.WebPushKey {
        let made = await onNativeThread("apps") {
            Result { () throws(AppsError) in try editor.addWebPush(to: app, contact: contact) }
        }
        return try made.get()
    }

    private static func json(_ key: AppEditor.WebPushKey, of app: AppID) -> String {
        JSONText.object { json in
            json.member("app", app.text)
            json.member("public_key", key.publicText)
            json.member("contact", key.contact)
            json.member("file", key.file)
            json.member("new", key.isNew)
        }
    }

    static func report(
        _ key: AppEditor.WebPushKey, of app: AppID, at place: AppsPlace, in context: CommandContext
    ) -> String {
        let text = """
            \(key.isNew ? "wrote" : "uses") \(key.file)

            Public key for browsers, the applicationServerKey of pages:

              \(key.publicText)

            Push services reach you at \(key.contact)
            """
        guard key.contact == WebPushContact.placeholder(for: app) else { return text }
        return """
            \(text)
            This placeholder has no mailbox, and a push service may refuse it. Set yours:

              \(place.command("apps web-push \(app) --contact mailto:push@example.com", in: context))
            """
    }
}

extension CommandArguments {
    /// Nil if none is given.
    func webPushContact() throws(UsageError) -> String? {
        guard let text = value(AppsWebPush.contact) else { return nil }
        guard WebPushContact.isOne(text) else {
            throw UsageError("--contact \(text): expected \(WebPushContact.rule)")
        }
        return text
    }
}
