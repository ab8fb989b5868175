package import JSONKit
package import PushModel
package import ServiceKit

/// Creates and changes app files for an operator. Other members of a file are kept unchanged. Calls block.
package struct AppEditor: Sendable {
    /// A new key and the number of keys that it replaces.
    package struct Rotation: Sendable {
        package let key: APIKey
        package let rights: KeyRights
        package let replaced: Int
    }

    package static let usualScopes: Set<Scope> = [.publish, .register, .read]
    private static let keysMaximum = 64

    let configuration: AppsConfiguration
    private let now: Timestamp

    package init(_ configuration: AppsConfiguration, now: Timestamp) {
        self.configuration = configuration
        self.now = now
    }

    package func path(of app: AppID) -> String {
        "\(configuration.folder)/\(AppFolder.fileName(of: app))"
    }

    /// Writes an app file with a new key. Creates the folder and the pepper if they do not exist.
    package func add(
        _ app: AppID, scopes: Set<Scope> = usualScopes, allowing ranges: [AddressRange] = []
    ) throws(AppsError) -> APIKey {
        try FileWriter.makeFolder(configuration.folder)
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        let key = APIKey.random()
        let credential = credential(of: key, rights: KeyRights(scopes: scopes), pepper: try pepper())
        var document = JSONObject([("credentials", .array([CredentialText.json(credential)]))])
        if !ranges.isEmpty {
            let allowed = ranges.map { range in
                JSON.object(
                    JSONObject([("range", .string("\(range)")), ("scopes", CredentialText.scopes(scopes))]))
            }
            document["allow"] = .array(allowed)
        }
        try FileWriter.create(path(of: app), bytes: bytes(of: document), mode: 0o644)
        return key
    }

    /// Adds a key to an existing app file.
    package func addKey(to app: AppID, rights: KeyRights) throws(AppsError) -> APIKey {
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        let (document, current) = try load(app)
        let key = APIKey.random()
        let added = current.credentials + [credential(of: key, rights: rights, pepper: try pepper())]
        try write(added, to: document, of: app)
        return key
    }

    /// Adds a new key for each set of rights among the valid keys, which expire after `keep` at the latest. Expired
    /// keys are removed.
    package func rotate(_ app: AppID, keeping keep: Duration) throws(AppsError) -> [Rotation] {
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        let (document, current) = try load(app)
        let pepper = try pepper()
        let valid = current.credentials.filter { $0.isValid(at: now) }
        let usual = [KeyRights(scopes: AppEditor.usualScopes)]
        let rotations = (valid.isEmpty ? usual : AppEditor.unique(valid.map(\.rights))).map { rights in
            Rotation(key: .random(), rights: rights, replaced: valid.filter { $0.rights == rights }.count)
        }
        let fresh = rotations.map { credential(of: $0.key, rights: $0.rights, pepper: pepper) }
        let kept = keep > .zero ? valid.map { $0.expiring(by: now + keep) } : []
        try write(kept + fresh, to: document, of: app)
        return rotations
    }

    private func credential(of key: APIKey, rights: KeyRights, pepper: Pepper) -> Credential {
        Credential(id: key.id, hash: pepper.hash(of: key), rights: rights, created: now, expires: nil)
    }

    private func write(
        _ credentials: [Credential], to document: JSONObject, of app: AppID
    ) throws(AppsError) {
        guard credentials.count <= AppEditor.keysMaximum else {
            throw AppsError(
                code: .invalid,
                message: "\(path(of: app)) would hold more than \(AppEditor.keysMaximum) keys; remove some first")
        }
        var changed = document
        changed["credentials"] = .array(credentials.map(CredentialText.json))
        try write(changed, of: app)
    }

    /// Replaces a member of the app file, such as `identifiers`.
    package func replace(_ member: String, of app: AppID, with value: JSON) throws(AppsError) {
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        var (document, _) = try load(app)
        document[member] = value
        try write(document, of: app)
    }

    /// Replaces the app's credentials for these providers; those for others stay.
    package func replaceProviders(_ providers: JSONObject, of app: AppID) throws(AppsError) {
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        var (document, _) = try load(app)
        var all = document["providers"]?.object ?? JSONObject()
        for (name, value) in providers.members { all[name] = value }
        document["providers"] = .object(all)
        try write(document, of: app)
    }

    /// Refuses a document that no service would accept.
    func write(_ document: JSONObject, of app: AppID) throws(AppsError) {
        let bytes = bytes(of: document)
        let (changed, problems) = AppReader.read(bytes, id: app, folder: configuration.folder)
        guard changed != nil else {
            throw AppsError(code: .invalid, message: problems.map(\.description).joined(separator: "\n"))
        }
        try FileWriter.replace(path(of: app), bytes: bytes)
    }

    func load(_ id: AppID) throws(AppsError) -> (document: JSONObject, app: PushApp) {
        guard let bytes = SmallFile.read(path(of: id), bytesMaximum: AppReader.bytesMaximum) else {
            let names = AppSurvey(configuration).apps.map(\.id.text)
            throw AppsError(
                code: .missing,
                message: "there is no readable file \(path(of: id))" + Spelling.advice(id.text, among: names))
        }
        let (app, problems) = AppReader.read(bytes, id: id, folder: configuration.folder)
        guard let app, let document = (try? JSON(bytes))?.object else {
            throw AppsError(code: .invalid, message: problems.map(\.description).joined(separator: "\n"))
        }
        return (document, app)
    }

    /// Never creates a second pepper while keys exist: services with the first pepper would reject keys hashed with it.
    private func pepper() throws(AppsError) -> Pepper {
        let file = PepperFile(path: configuration.pepperFile)
        if file.isMissing {
            var inventory = AppInventory(configuration)
            _ = inventory.read()
            guard inventory.apps.allSatisfy({ $0.credentials.isEmpty }) else {
                throw AppsError(
                    code: .missing,
                    message: """
                        keys exist, but the pepper they were hashed with is not at \(configuration.pepperFile); \
                        set CARILLON_PEPPER_FILE to its path
                        """)
            }
            try FileWriter.create(configuration.pepperFile, bytes: Pepper.randomFileContent(), mode: 0o600)
        }
        switch file.read() {
        case .pepper(let pepper, warning: nil): return pepper
        case .pepper(_, let warning?):
            throw AppsError(code: .unsafe, message: "\(configuration.pepperFile): \(warning)")
        case .unusable(let reason):
            throw AppsError(code: .unreadable, message: "\(configuration.pepperFile) \(reason)")
        }
    }

    private func bytes(of document: JSONObject) -> [UInt8] {
        Array(JSON.object(document).indentedText.utf8)
    }

    private static func unique(_ rights: [KeyRights]) -> [KeyRights] {
        rights.reduce(into: []) { known, next in
            if !known.contains(next) { known.append(next) }
        }
    }
}

extension Credential {
    fileprivate func expiring(by moment: Timestamp) -> Credential {
        Credential(
            id: id, hash: hash, rights: rights, created: created, expires: expires.map { min($0, moment) } ?? moment)
    }
}
