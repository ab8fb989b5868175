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
        leaseMargin = environment.leaseMargin("CARILLON_ANDROID_LEASE_MARGIN", default: .seconds(15))
    }

    var claimLease: Duration {
        ClaimLease.lasting(request: max(fcm.deadline, huawei.deadline), token: tokenLimit, margin: leaseMargin)
    }
}
