import PushModel
import ServiceKit

/// Apps and secrets of this process, read repeatedly; the last valid version of each is kept. Calls block and are made
/// on a native thread.
struct AppInventory: Sendable {
    private let configuration: AppsConfiguration
    private var versions: AppFileVersions
    private var keyFiles = KeyFileCheck()
    private(set) var pepper: Pepper?
    /// Of the apps that have a usable one.
    private(set) var userTokenKeys: [AppID: UserTokenKey] = [:]
    /// The public key of each app whose `providers.webpush` has a usable key file.
    private(set) var webPushPublicKeys: [AppID: [UInt8]] = [:]
    private(set) var problems: [AppProblem] = []
    private(set) var unusableKeyFiles = 0

    init(_ configuration: AppsConfiguration) {
        self.configuration = configuration
        versions = AppFileVersions(folder: configuration.folder)
    }

    var apps: [PushApp] { versions.apps }
    var brokenFiles: Int { versions.brokenFiles }

    func hasPepper(of other: AppInventory) -> Bool {
        switch (pepper, other.pepper) {
        case (nil, nil): true
        case (let own?, let others?): own.isSame(as: others)
        default: false
        }
    }

    mutating func read() -> [AppFileVersions.Change] {
        let changes = versions.take(AppFolder(path: configuration.folder).read())
        let pepperProblem = readPepper()
        let keyFileProblems = readKeyFiles()
        readUserTokenKeys()
        unusableKeyFiles = keyFileProblems.count
        problems =
            versions.problems + (pepperProblem.map { [$0] } ?? []) + keyFileProblems
            + apps.sorted { $0.id < $1.id }.flatMap(\.keyWarnings)
        return changes
    }

    private mutating func readPepper() -> AppProblem? {
        guard configuration.secrets.contains(.pepper) else { return nil }
        switch PepperFile(path: configuration.pepperFile).read() {
        case .pepper(let pepper, let warning):
            self.pepper = pepper
            return warning.map { .warning(configuration.pepperFile, field: "", message: $0) }
        case .unusable(let reason):
            // The pepper is not needed while there are no keys.
            guard apps.contains(where: { !$0.credentials.isEmpty }) else { return nil }
            return .error(configuration.pepperFile, field: "", message: reason)
        }
    }

    private mutating func readUserTokenKeys() {
        guard configuration.secrets.contains(.users) else { return }
        userTokenKeys = [:]
        for app in apps {
            guard let path = app.userTokenKeyFile?.path,
                let content = SmallFile.read(path, bytesMaximum: UserTokenKey.fileBytesMaximum)
            else { continue }
            userTokenKeys[app.id] = UserTokenKey(fileContent: content)
        }
    }

    /// Reported as warnings: an invalid key file does not affect other apps or other providers of the app.
    private mutating func readKeyFiles() -> [AppProblem] {
        let files = apps.sorted { $0.id < $1.id }.flatMap { app in
            app.keyFiles.filter { configuration.secrets.contains($0.secret) }.map { (app: app.id, key: $0) }
        }
        let findings = zip(files, keyFiles.findings(in: files.map(\.key)))
        webPushPublicKeys = Dictionary(
            uniqueKeysWithValues: findings.compactMap { file, finding in finding.publicPoint.map { (file.app, $0) } })
        return findings.compactMap { file, finding in
            finding.problem.map { .warning(AppFolder.fileName(of: file.app), field: file.key.file.field, message: $0) }
        }
    }
}

extension PushApp {
    /// Fields of keys that are valid and have no effect.
    fileprivate var keyWarnings: [AppProblem] {
        credentials.enumerated().filter { !$0.element.rights.isPublic && !$0.element.rights.origins.isEmpty }.map {
            .warning(
                AppFolder.fileName(of: id), field: "credentials[\($0.offset)].origins",
                message: "no effect, because the key is not public; add \"public\": true or remove the origins")
        }
    }
}
