import ServiceKit

/// Settings of `targeting-resolver`, beside those of every service.
struct TargetingResolverConfiguration: Sendable {
    /// Number of job chains of one task, for segments and for parts of a list each.
    let window: Int

    init(environment: inout EnvironmentReader) {
        window = environment.integer(
            "CARILLON_RESOLVER_WINDOW", default: 16, in: 1...1_024,
            meaning:
                "Segments of one large task, and parts of its list, resolved concurrently by all resolvers together; the "
                + "rest waits behind other tasks.")
    }
}
