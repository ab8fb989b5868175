import ProviderKit
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
        ) { _ in
            [
                WebPushProvider(configuration.webpush, environment: environment),
                WNSProvider(configuration.wns, tokenLimit: configuration.tokenLimit, environment: environment),
                MPNSProvider(configuration.mpns, environment: environment),
                HTTPPushProvider(configuration.http, environment: environment),
            ]
        }
    }
}
