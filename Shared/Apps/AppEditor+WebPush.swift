import Glibc
import JSONKit
package import PushModel
import ServiceKit
import Signing

/// The key pair with which an app names itself to push services. Browsers subscribe with its public part.
extension AppEditor {
    package struct WebPushKey: Sendable, Equatable {
        package let file: String
        /// In base64url, as pages give it to browsers.
        package let publicText: String
        package let contact: String
        package let isNew: Bool
    }

    /// Makes a key for an app without `providers.webpush`, and sets the contact if one is given. An existing key stays:
    /// each subscription of a browser is bound to it.
    ///
    /// The key is written before the app file. A command that was interrupted in between is completed by the next one,
    /// which finds the key under the app's name.
    package func addWebPush(to app: AppID, contact: String?) throws(AppsError) -> WebPushKey {
        let lock = try FolderLock(configuration.folder)
        defer { lock.release() }
        var (document, current) = try load(app)
        let known = current.providers.webpush
        let own = "\(AppsConfiguration.webPushFolder)/\(app).pem"
        let file = known?.keyFile.path ?? "\(configuration.folder)/\(own)"
        if known == nil { try makeWebPushKey(file) }
        let publicText = try AppEditor.publicText(of: file)
        let wanted = contact ?? known?.contact ?? WebPushContact.placeholder(for: app)
        if known?.contact != wanted {
            var providers = document["providers"]?.object ?? JSONObject()
            var entry = providers["webpush"]?.object ?? JSONObject([("key_file", .string(own))])
            entry["contact"] = .string(wanted)
            providers["webpush"] = .object(entry)
            document["providers"] = .object(providers)
            try write(document, of: app)
        }
        return WebPushKey(
            file: AppEditor.plainPath(of: file), publicText: publicText, contact: wanted, isNew: known == nil)
    }

    private func makeWebPushKey(_ file: String) throws(AppsError) {
        guard access(file, F_OK) != 0 else { return }
        let text: Secret
        do throws(SigningError) {
            text = try VAPIDKey.generated().privateKeyText()
        } catch {
            throw AppsError(code: .unwritable, message: error.message)
        }
        for folder in [AppsConfiguration.secretsFolder, AppsConfiguration.webPushFolder] {
            try FileWriter.makeFolder("\(configuration.folder)/\(folder)", mode: 0o700)
        }
        try FileWriter.create(file, bytes: Array(text.reveal().utf8), mode: 0o600)
    }

    private static func publicText(of file: String) throws(AppsError) -> String {
        do throws(SigningError) {
            return try VAPIDKey(file: file).publicText
        } catch {
            throw AppsError(code: .invalid, message: error.message)
        }
    }

    /// Without `..`, for the operator.
    static func plainPath(of file: String) -> String {
        guard let resolved = realpath(file, nil) else { return file }
        defer { free(resolved) }
        return OutsideText.replacing(cString: resolved)
    }
}
