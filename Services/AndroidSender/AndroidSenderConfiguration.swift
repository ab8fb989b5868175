import Apps
import ServiceKit

/// What `android-sender` is configured with, beside what every service is.
struct AndroidSenderConfiguration: Sendable {
    let apps: AppsConfiguration
    let fcm: FCMConfiguration
    let huawei: HuaweiConfiguration
    let concurrency: Int

    init(environment: inout EnvironmentReader) {
        apps = AppsConfiguration(environment: &environment)
        fcm = FCMConfiguration(environment: &environment)
        huawei = HuaweiConfiguration(environment: &environment)
        concurrency = environment.integer(
            "CARILLON_ANDROID_CONCURRENCY", default: 32, in: 1...1_024,
            "Deliveries from the bus in work at once in each lane, in place of CARILLON_WORKER_CONCURRENCY: a sender "
                + "waits more than it works.")
    }

    /// A push may be sent twice, with a token and with the one that replaced it, and have waited for either.
    var claimLease: Duration { max(fcm.deadline, huawei.deadline) * 2 + .seconds(75) }
}
