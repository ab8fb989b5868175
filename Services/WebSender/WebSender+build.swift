import ProviderKit
import RedisStore
import ServiceHost
import ServiceKit
import Topics

extension WebSender {
    static func build(
        _ context: ServiceContext, configuration: WebSenderConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        return await context.makeSender(
            of: .web, group: "web-sender", configuration: configuration.sender, lease: configuration.claimLease
        ) { store in
            let failingServers = RedisFailingServers(store)
            return [
                WebPushProvider(configuration.webpush, failingServers: failingServers, environment: environment),
                WNSProvider(
                    configuration.wns, tokenLimit: configuration.tokenLimit, failingServers: failingServers,
                    environment: environment),
                MPNSProvider(configuration.mpns, failingServers: failingServers, environment: environment),
                HTTPPushProvider(configuration.http, failingServers: failingServers, environment: environment),
            ]
        }
    }
}
