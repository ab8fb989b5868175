import Apps
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// Warnings about devices whose protocol has no provider in the app file. Their pushes end immediately as suppressed.
struct MissingProviders {
    let app: PushApp

    /// Warnings for a task, by the field that addresses the platform. A platform addressed by default is reported only
    /// if the app can send to none of them: most apps do not have every platform.
    func warnings(of content: TaskContent) -> [JSONProblems.Problem] {
        let targeted = Platform.allCases.filter { content.targetedPlatforms.contains($0) }
        let missing = targeted.filter { !reaches($0) }
        let areChosen = targeted.count < Platform.supported.count
        return missing.compactMap { platform in
            let own = content.ownField(of: platform)
            guard own != nil || areChosen || missing.count == targeted.count else { return nil }
            return JSONProblems.Problem(
                path: own ?? "platforms",
                message: "the app has no provider for \(platform.rawValue); its devices end as suppressed")
        }
    }

    func warning(of kind: PushProtocol) -> String? {
        guard !app.providers.has(kind) else { return nil }
        return "the app has no provider for \(kind.name); pushes to this device end as suppressed"
    }

    private func reaches(_ platform: Platform) -> Bool {
        PushProtocol.allCases.contains { Platform($0) == platform && app.providers.has($0) }
    }
}

extension TaskContent {
    /// The field with the platform's own payload or message.
    func ownField(of platform: Platform) -> String? {
        if payloads[platform] != nil { return "payloads.\(platform.rawValue)" }
        return messages[platform] == nil ? nil : "messages.\(platform.rawValue)"
    }
}
