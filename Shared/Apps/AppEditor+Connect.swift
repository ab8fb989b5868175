import Glibc
import JSONKit
package import PushModel
import ServiceKit

extension AppEditor {
    /// Writes an app file that grants no access, in which credentials are tried.
    package func addTrial(_ app: AppID) throws(AppsError) {
        try FileWriter.makeFolder(configuration.folder)
        try FileWriter.create(path(of: app), bytes: Array("{}".utf8), mode: 0o600)
    }

    /// Stores the secret in a file of its own and names it in the app file; returns the path of the secret's file.
    ///
    /// The secret is written first. A command that is interrupted in between has changed nothing that is in use, unless
    /// the secret belongs to the same id as the former one.
    package func connect(_ entry: ProviderEntry, to app: AppID) throws(AppsError) -> String {
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        var (document, _) = try load(app)
        let folder = "\(AppsConfiguration.secretsFolder)/\(entry.provider)"
        let file = "\(folder)/\(app)\(entry.secret.ending)"
        for folder in [AppsConfiguration.secretsFolder, folder] {
            try FileWriter.makeFolder("\(configuration.folder)/\(folder)", mode: 0o700)
        }
        try keep(entry.secret.bytes, in: "\(configuration.folder)/\(file)")
        var fields = entry.fields
        fields[entry.secret.field] = .string(file)
        var providers = document["providers"]?.object ?? JSONObject()
        providers[entry.provider] = .object(fields)
        document["providers"] = .object(providers)
        try write(document, of: app)
        return AppEditor.plainPath(of: "\(configuration.folder)/\(file)")
    }

    private func keep(_ bytes: [UInt8], in file: String) throws(AppsError) {
        guard access(file, F_OK) == 0 else { return try FileWriter.create(file, bytes: bytes, mode: 0o600) }
        try FileWriter.replace(file, bytes: bytes)
    }
}
