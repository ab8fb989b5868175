import Apps
import CommandKit
import Glibc
import JSONKit
import PushModel
import ServiceKit

/// Devices that nothing can be sent to, since their app has no provider for their platform.
enum ProviderGaps {
    /// One line for each app and platform, of the apps whose key is in the data folder. The running pipeline counts the
    /// devices; if it cannot, nothing is said.
    static func warnings(in folder: DataFolder, at url: String) async -> [String] {
        let apps = await onNativeThread("apps") { AppSurvey(folder.appsConfiguration).apps }
        var warnings: [String] = []
        for app in apps {
            guard let counts = await counts(of: app.id, in: folder, at: url) else { continue }
            warnings += lines(app.id, providers: app.providers, counts: counts)
        }
        return warnings
    }

    /// `counts` is the API's answer about all devices of the app.
    static func lines(_ app: AppID, providers: ProviderCredentials, counts: JSON) -> [String] {
        Platform.allCases.compactMap { platform in
            let kinds = PushProtocol.ofDevices.filter { Platform($0) == platform }
            let count = counts["platforms"]?.count(platform.rawValue) ?? 0
            guard count > 0, !kinds.contains(where: { providers.has($0) }) else { return nil }
            let names = kinds.map { "providers.\($0.name)" }.joined(separator: " or ")
            let devices = CountText.of(count, noun: "device")
            return "app \(app) has \(devices) of \(platform.rawValue) and no \(names): their pushes end as suppressed; "
                + "see carillon apps connect --help"
        }
    }

    private static func counts(of app: AppID, in folder: DataFolder, at url: String) async -> JSON? {
        guard access(folder.keyFile(of: app), R_OK) == 0, let key = try? LocalKeyFile.read(folder.keyFile(of: app))
        else { return nil }
        let all = JSON.object(JSONObject([("all", .bool(true))]))
        return try? await TaskAPI.with(APIAccess(url: url, key: key)) { try await $0.count(audience: all) }
    }
}
