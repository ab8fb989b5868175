import ServiceHost
import ServiceKit

/// Finds out whom a task means, notes each of them in the ledger, and sends them on to be rendered.
@main struct TargetingResolver {
    static func main() async {
        await ServiceHost.main(
            "targeting-resolver", purpose: "turns tasks into the devices they are for",
            configuration: { TargetingResolverConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
