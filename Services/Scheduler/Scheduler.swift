import ServiceHost
import ServiceKit

/// Holds scheduled tasks, retries and parked jobs, and releases them when they are due.
package struct Scheduler {
    package static func main() async {
        await ServiceHost.main(
            "scheduler", purpose: "keeps scheduled tasks and retries until they are due",
            configuration: { SchedulerConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
