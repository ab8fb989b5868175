import Apps
import ProviderKit
import ServiceKit
import Store

/// Settings of `apns-sender`, beside those of every service.
struct APNsSenderConfiguration: Sendable {
    let apps: AppsConfiguration
    let apns: APNsConfiguration
    let outagePauses: OutagePauses
    let concurrency: Int
    let credentialsPatience: Duration

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment, reading: [.apns])
        apns = APNsConfiguration(environment: &environment)
        outagePauses = OutagePauses(environment: &environment)
        concurrency = environment.integer(
            "CARILLON_APNS_CONCURRENCY", default: 32, in: 1...1_024,
            meaning:
                "Batches processed concurrently in each lane, instead of CARILLON_WORKER_CONCURRENCY: a sender mostly "
                + "waits.")
        credentialsPatience = AppHalts.patience(environment: &environment)
    }
}
