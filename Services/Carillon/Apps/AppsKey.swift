import Apps
import CommandKit
import PushModel
import ServiceKit

/// `carillon apps key`: one more key for an app, also a public one.
struct AppsKey: Command {
    static let declaration = CommandDeclaration(
        "apps key", purpose: "add a key to an app, which is shown only once", operands: "NAME",
        options: [scope, isPublic, origin, .data],
        notes: """
            A public key ships inside an app or a web page. It registers, reads and removes only the device whose token it
            presents, and names users only with tokens that your backend signs (see docs/devices.md).
            """)

    private static let scope = CommandOption.scope(default: AppEditor.usualScopes)
    private static let isPublic = CommandOption(
        "--public", meaning: "The key ships inside an app or a page; its scope is register")
    private static let origin = CommandOption(
        "--origin", value: "ORIGIN", isRepeatable: true,
        meaning: "Web origin whose pages may use the public key, such as https://www.example.com; repeatable")

    private let app: AppID
    private let place: AppsPlace
    private let rights: KeyRights

    init(_ arguments: CommandArguments) throws(UsageError) {
        app = try arguments.app()
        place = AppsPlace(arguments)
        rights = try AppsKey.rights(arguments)
    }

    private static func rights(_ arguments: CommandArguments) throws(UsageError) -> KeyRights {
        let scopes = try arguments.scopes(scope)
        let origins = try origins(arguments.values(origin))
        guard arguments.has(isPublic) else {
            guard origins.isEmpty else { throw UsageError("--origin requires --public") }
            return KeyRights(scopes: scopes ?? AppEditor.usualScopes)
        }
        guard scopes == nil || scopes == KeyRights.publicScopes else {
            throw UsageError("a public key has only the scope \(AppsAdd.text(KeyRights.publicScopes))")
        }
        return KeyRights(scopes: KeyRights.publicScopes, isPublic: true, origins: origins)
    }

    private static func origins(_ texts: [String]) throws(UsageError) -> [WebOrigin] {
        var origins: [WebOrigin] = []
        for text in texts {
            guard let origin = WebOrigin(text) else { throw UsageError("--origin \(text): expected \(WebOrigin.rule)") }
            origins.append(origin)
        }
        return origins
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let editor = AppEditor(try place.configuration(context), now: SystemTimeSource().now)
        let added = await onNativeThread("apps") { [app, rights] in
            Result { () throws(AppsError) in try editor.addKey(to: app, rights: rights) }
        }
        let key = try added.get()
        context.terminal.print(
            """
            changed \(editor.path(of: app))

            API key (\(AppsAdd.text(rights))), shown only once:

              \(key.reveal())
            """)
        return 0
    }
}
