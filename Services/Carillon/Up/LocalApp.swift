import Apps
import Glibc
import JSONKit
import PushModel
import ServiceKit

/// The app that `carillon up` creates for first steps, with a key that has all scopes and remains readable. Its calls
/// block.
struct LocalApp: Sendable {
    let id: AppID
    let keyFile: String
    private let configuration: AppsConfiguration
    private let time: any TimeSource

    init(_ id: AppID, in folder: DataFolder, time: any TimeSource) {
        self.id = id
        self.time = time
        keyFile = folder.keyFile(of: id)
        configuration = folder.appsConfiguration
    }

    /// Creates what is missing; a working app and a valid key are not changed.
    func prepare() throws {
        let editor = AppEditor(configuration, now: time.now)
        guard access(editor.path(of: id), F_OK) == 0 else {
            try keep(try editor.add(id, scopes: Set(Scope.allCases)))
            // Requests of the APIs of Richie, AppMetrica, ContextPush and Pushwoosh name the app.
            let identifiers = JSONObject([
                ("richie", .string(id.text)), ("appmetrica", .integer(1)), ("contextpush", .string(id.text)),
                ("pushwoosh", .string(id.text)),
            ])
            try editor.replace("identifiers", of: id, with: .object(identifiers))
            _ = try editor.addWebPush(to: id, contact: nil)
            return
        }
        _ = try editor.addWebPush(to: id, contact: nil)
        guard !hasWorkingKey else { return }
        // Other keys remain valid for a while.
        let rotations = try editor.rotate(id, keeping: .seconds(7 * 86_400))
        let own = rotations.filter { !$0.rights.isPublic }
        let widest = own.max { $0.rights.scopes.count < $1.rights.scopes.count }
        try keep(try widest?.key ?? editor.addKey(to: id, rights: KeyRights(scopes: Set(Scope.allCases))))
    }

    /// The simulator creates new credentials for its providers at each start.
    func renew(_ providers: JSONObject) throws {
        try AppEditor(configuration, now: time.now).replaceProviders(providers, of: id)
    }

    private var hasWorkingKey: Bool {
        guard let bytes = SmallFile.read(keyFile, bytesMaximum: 1_024),
            let key = APIKey(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)),
            let app = AppSurvey(configuration).apps.first(where: { $0.id == id })
        else { return false }
        return app.credentials.contains { $0.id == key.id && $0.isValid(at: time.now) }
    }

    private func keep(_ key: APIKey) throws {
        try PrivateFile.write(key.reveal() + "\n", to: keyFile)
    }
}
