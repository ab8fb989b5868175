import ServiceHost
import ServiceKit

/// Resolves a task's targets into devices, marks each of them in the ledger, and passes them on to be rendered.
package struct TargetingResolver {
    package static func main() async {
        await ServiceHost.main(
            "targeting-resolver", purpose: "resolves the targets of tasks into devices",
            configuration: { TargetingResolverConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
