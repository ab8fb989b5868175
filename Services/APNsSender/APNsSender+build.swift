import ProviderKit
import RedisStore
import ServiceHost
import ServiceKit
import Store
import Topics

extension APNsSender {
    static func build(
        _ context: ServiceContext, configuration: APNsSenderConfiguration
    ) async throws -> [any Service] {
        try await context.makeSender(
            of: .apple, group: "apns-sender", configuration: configuration.sender, lease: configuration.apns.claimLease
        ) { store in
            let channels = try await context.followRegistry(store)
            return [APNsProvider(configuration.apns, channels: channels, environment: context.environment)]
        }
    }
}
