import ServiceHost
import ServiceKit

/// Tells how tasks went, closes them, and takes devices that are gone from the registry.
@main struct Reporter {
    static func main() async {
        await ServiceHost.main(
            "reporter", purpose: "closes tasks, reports them and unregisters dead devices",
            configuration: { ReporterConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
