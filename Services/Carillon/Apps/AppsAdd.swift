import Apps
import CommandKit
import PushModel
import ServiceKit

struct AppsAdd: Command {
    static let declaration = CommandDeclaration(
        "apps add", purpose: "create an app file with a new API key, which is shown only once", operands: "NAME",
        options: [scope, allow, AppsWebPush.contact, noWebPush, .data],
        notes: """
            Writes NAME.json, and a key for browsers to secrets/webpush/NAME.pem beside the folder of the apps. Add
            providers with carillon apps connect, identifiers in the file (see docs/apps.md). Running services load it
            automatically. Existing files are kept.

            \(AppsPlace.notes)
            """)

    private static let scope = CommandOption.scope(default: AppEditor.usualScopes)
    private static let allow = CommandOption(
        "--allow", value: "RANGE", isRepeatable: true,
        meaning: "Address range, such as 10.0.0.0/8, that has the same scopes without a key; repeatable")

    private static let noWebPush = CommandOption("--no-web-push", meaning: "Make no key for browsers")

    private let app: AppID
    private let place: AppsPlace
    private let scopes: Set<Scope>
    private let ranges: [AddressRange]
    private let contact: String?
    private let hasWebPush: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        app = try arguments.app()
        place = AppsPlace(arguments)
        scopes = try arguments.scopes(AppsAdd.scope) ?? AppEditor.usualScopes
        ranges = try AppsAdd.ranges(arguments.values(AppsAdd.allow))
        contact = try arguments.webPushContact()
        hasWebPush = !arguments.has(AppsAdd.noWebPush)
        guard hasWebPush || contact == nil else {
            throw UsageError("--contact belongs to Web Push; remove --no-web-push")
        }
    }

    private static func ranges(_ texts: [String]) throws(UsageError) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for text in texts {
            do throws(AddressRange.FormatError) {
                ranges.append(try AddressRange(text))
            } catch {
                throw UsageError("--allow \(text): \(error)")
            }
        }
        return ranges
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let editor = AppEditor(try place.configuration(context, making: true), now: SystemTimeSource().now)
        let added = await onNativeThread("apps") { [app, scopes, ranges] in
            Result { () throws(AppsError) in try editor.add(app, scopes: scopes, allowing: ranges) }
        }
        // Printed before anything else can fail: the key is shown only once.
        context.terminal.print(try report(added.get(), file: editor.path(of: app), in: context))
        guard hasWebPush else { return 0 }
        let key = try await AppsWebPush.key(of: app, contact: contact, by: editor)
        context.terminal.print("\n" + AppsWebPush.report(key, of: app, at: place, in: context))
        return 0
    }

    private func report(_ key: APIKey, file: String, in context: CommandContext) throws -> String {
        let start = """
            wrote \(file)

            API key (\(AppsAdd.text(scopes))), shown only once:

              \(key.reveal())
            """
        guard scopes.contains(.register) else { return start }
        return """
            \(start)

            Register a device with this key:

              curl -i \(try place.url(in: context))/subscribers -H 'Authorization: Bearer \(key.reveal())' \
            -d proto=apns -d token=\(String(repeating: "0123456789abcdef", count: 4)) -d lang=en
            """
    }

    static func text(_ scopes: Set<Scope>) -> String {
        scopes.sorted().map(\.rawValue).joined(separator: ", ")
    }

    static func text(_ rights: KeyRights) -> String {
        let scopes = text(rights.scopes)
        guard rights.isPublic else { return scopes }
        let pages = rights.origins.map { " \($0)" }.joined()
        return "\(scopes), public" + (pages.isEmpty ? "" : " for\(pages)")
    }
}

extension CommandOption {
    static func scope(default scopes: Set<Scope>) -> CommandOption {
        CommandOption(
            "--scope", value: "SCOPE", isRepeatable: true,
            meaning: """
                Scope of the key: \(Scope.allCases.map(\.rawValue).joined(separator: ", ")); repeatable \
                (default: \(AppsAdd.text(scopes)))
                """)
    }
}

extension CommandArguments {
    /// Nil if none is given.
    func scopes(_ option: CommandOption) throws(UsageError) -> Set<Scope>? {
        var scopes: Set<Scope> = []
        for text in values(option) {
            guard let scope = Scope(rawValue: text) else {
                throw UsageError("unknown scope \(text)" + Spelling.advice(text, among: Scope.allCases.map(\.rawValue)))
            }
            scopes.insert(scope)
        }
        return scopes.isEmpty ? nil : scopes
    }

    /// The single operand of the commands about one app.
    func app() throws(UsageError) -> AppID {
        guard operands.count == 1 else { throw UsageError("expected one app name") }
        return try app(named: operands[0])
    }

    func app(named name: String) throws(UsageError) -> AppID {
        do throws(InvalidValueError) {
            return try AppID(name: name)
        } catch {
            throw UsageError("\"\(name)\" is not a valid app name; it \(error)")
        }
    }

    /// Nil if `name` is nil.
    func app(named name: String?) throws(UsageError) -> AppID? {
        guard let name else { return nil }
        return try app(named: name) as AppID
    }
}
