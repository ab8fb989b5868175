import ProviderKit
import ServiceKit
import Topics

/// Settings of `apns-sender`, beside those of every service.
struct APNsSenderConfiguration: Sendable {
    let sender: SenderConfiguration
    let apns: APNsConfiguration

    init(environment: inout EnvironmentReader) {
        sender = SenderConfiguration(environment: &environment, of: .apple, concurrency: "CARILLON_APNS_CONCURRENCY")
        apns = APNsConfiguration(environment: &environment)
    }
}
