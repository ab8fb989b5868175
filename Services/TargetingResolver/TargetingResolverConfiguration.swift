import ServiceKit

/// What `targeting-resolver` is configured with, beside what every service is.
struct TargetingResolverConfiguration: Sendable {
    /// Chains of jobs of one task.
    let window: Int

    init(environment: inout EnvironmentReader) {
        window = environment.integer(
            "CARILLON_RESOLVER_WINDOW", default: 16, in: 1...1_024,
            meaning:
                "Segments of one big task that are resolved at once, by all resolvers together; the rest waits its turn "
                + "behind other tasks.")
    }
}
