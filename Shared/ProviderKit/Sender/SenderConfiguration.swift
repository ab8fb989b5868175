package import Apps
package import ServiceKit
package import Store
package import Topics

/// Settings that every sender has, beside those of its providers.
package struct SenderConfiguration: Sendable {
    package let apps: AppsConfiguration
    package let outagePauses: OutagePauses
    package let concurrency: Int
    package let credentialsPatience: Duration

    /// A sender reads only the secrets of its own providers. `concurrency` is the name of the variable.
    package init(environment: inout EnvironmentReader, of family: DispatchFamily, concurrency variable: String) {
        apps = AppsConfiguration(
            environment: &environment, reading: Set(family.protocols.map { AppSecret(of: $0) }))
        outagePauses = OutagePauses(environment: &environment)
        concurrency = environment.integer(
            variable, default: 32, in: 1...1_024,
            meaning:
                "Batches processed concurrently in each lane, instead of CARILLON_WORKER_CONCURRENCY: a sender mostly "
                + "waits.")
        credentialsPatience = AppHalts.patience(environment: &environment)
    }
}
