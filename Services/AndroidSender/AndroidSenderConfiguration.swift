import ProviderKit
import ServiceKit
import Topics

/// Settings of `android-sender`, beside those of every service.
struct AndroidSenderConfiguration: Sendable {
    let sender: SenderConfiguration
    let fcm: FCMConfiguration
    let huawei: HuaweiConfiguration
    let tokenLimit: Duration
    let leaseMargin: Duration

    init(environment: inout EnvironmentReader) {
        sender = SenderConfiguration(
            environment: &environment, of: .android, concurrency: "CARILLON_ANDROID_CONCURRENCY")
        fcm = FCMConfiguration(environment: &environment)
        huawei = HuaweiConfiguration(environment: &environment)
        tokenLimit = environment.duration(
            "CARILLON_ANDROID_TOKEN_LIMIT", default: .seconds(30), in: .seconds(1) ... .seconds(60),
            meaning: "Time a provider has to issue an access token.")
        leaseMargin = environment.duration(
            "CARILLON_ANDROID_LEASE_MARGIN", default: .seconds(15), in: .seconds(1) ... .seconds(600),
            meaning:
                "Time for a slow ledger and bus, added to that of a push and its token in the lease of claimed devices; "
                + "after a crash they wait for the whole lease.")
    }

    /// A push may be sent twice, with a token and with its replacement, and have waited for each.
    var claimLease: Duration { (max(fcm.deadline, huawei.deadline) + tokenLimit) * 2 + leaseMargin }
}
