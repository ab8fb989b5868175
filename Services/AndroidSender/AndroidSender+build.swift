import ProviderKit
import ServiceHost
import ServiceKit
import Topics

extension AndroidSender {
    static func build(
        _ context: ServiceContext, configuration: AndroidSenderConfiguration
    ) async throws -> [any Service] {
        let (tokenLimit, environment) = (configuration.tokenLimit, context.environment)
        return await context.makeSender(
            of: .android, group: "android-sender", configuration: configuration.sender, lease: configuration.claimLease
        ) { store in
            [
                FCMProvider(configuration.fcm, store: store, tokenLimit: tokenLimit, environment: environment),
                HuaweiProvider(configuration.huawei, tokenLimit: tokenLimit, environment: environment),
            ]
        }
    }
}
