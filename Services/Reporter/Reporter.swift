import ServiceHost
import ServiceKit

/// Reports and closes tasks, and removes invalid devices from the registry.
package struct Reporter {
    package static func main() async {
        await ServiceHost.main(
            "reporter", purpose: "closes tasks, posts their reports and unregisters invalid devices",
            configuration: { ReporterConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
