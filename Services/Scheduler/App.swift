import ServiceHost
import ServiceKit

/// Holds what must wait, and lets it go when its time has come.
@main struct Scheduler {
    static func main() async {
        await ServiceHost.main(
            "scheduler", purpose: "keeps retries until they are due",
            configuration: { SchedulerConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
