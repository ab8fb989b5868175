import Apps
import PushModel
import ServiceKit

/// The public key of the example page, which stays readable, as the page itself is. Its calls block.
struct ExampleKey: Sendable {
    let app: AppID
    let folder: DataFolder
    let time: any TimeSource

    /// The key bound to the page's origin; makes one if there is none.
    func value(boundTo origin: WebOrigin) throws -> String {
        if let kept = kept(boundTo: origin) { return kept }
        let rights = KeyRights(scopes: KeyRights.publicScopes, isPublic: true, origins: [origin])
        let key = try AppEditor(folder.appsConfiguration, now: time.now).addKey(to: app, rights: rights).reveal()
        try PrivateFile.write(key + "\n", to: folder.exampleKeyFile)
        return key
    }

    private func kept(boundTo origin: WebOrigin) -> String? {
        guard let bytes = SmallFile.read(folder.exampleKeyFile, bytesMaximum: 1_024) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let key = APIKey(text), let app = AppSurvey(folder.appsConfiguration).apps.first(where: { $0.id == app })
        else { return nil }
        let isUsable = app.credentials.contains {
            $0.id == key.id && $0.isValid(at: time.now) && $0.rights.isPublic && $0.rights.origins == [origin]
        }
        return isUsable ? text : nil
    }
}
