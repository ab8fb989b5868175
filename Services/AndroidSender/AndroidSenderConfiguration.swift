import Apps
import ProviderKit
import ServiceKit
import Store

/// Settings of `android-sender`, beside those of every service.
struct AndroidSenderConfiguration: Sendable {
    let apps: AppsConfiguration
    let fcm: FCMConfiguration
    let huawei: HuaweiConfiguration
    let outagePauses: OutagePauses
    let concurrency: Int
    let credentialsPatience: Duration
    let tokenLimit: Duration
    let leaseMargin: Duration

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment, reading: [.fcm, .huawei])
        fcm = FCMConfiguration(environment: &environment)
        huawei = HuaweiConfiguration(environment: &environment)
        outagePauses = OutagePauses(environment: &environment)
        concurrency = environment.integer(
            "CARILLON_ANDROID_CONCURRENCY", default: 32, in: 1...1_024,
            meaning:
                "Batches processed concurrently in each lane, instead of CARILLON_WORKER_CONCURRENCY: a sender mostly "
                + "waits.")
        credentialsPatience = AppHalts.patience(environment: &environment)
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
