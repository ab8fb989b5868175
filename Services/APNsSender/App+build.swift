import ProviderKit
import ServiceHost
import ServiceKit
import Topics

extension APNsSender {
    static func build(
        _ context: ServiceContext, configuration: APNsSenderConfiguration
    ) async throws -> [any Service] {
        await context.makeSender(
            of: .apple, group: "apns-sender", configuration: configuration.sender, lease: configuration.apns.claimLease
        ) { _ in
            [APNsProvider(configuration.apns, environment: context.environment)]
        }
    }
}
