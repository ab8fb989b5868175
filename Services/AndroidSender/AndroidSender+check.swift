import Apps
import Bus
import ProviderKit
import ServiceHost
import ServiceKit

extension AndroidSender {
    /// Whether Google or Huawei accepts an app's credentials. Needs neither Redis nor a bus.
    static func check(_ request: CheckRequest, configuration: AndroidSenderConfiguration) async throws -> String {
        let check = try await CredentialCheck(request, apps: configuration.sender.apps)
        let (tokenLimit, environment) = (configuration.tokenLimit, request.environment)
        let gateways = AppGateways(
            [
                FCMProvider(configuration.fcm, store: nil, tokenLimit: tokenLimit, environment: environment),
                HuaweiProvider(configuration.huawei, tokenLimit: tokenLimit, environment: environment),
            ], time: environment.time
        ) { $0 == check.app.id ? check.app : nil }
        return try await check.line(from: gateways)
    }
}
