package import ServiceKit

/// How long a device belongs to the sender that claimed it.
package enum ClaimLease {
    /// A push may be sent twice, with a token and with its replacement, and have waited for each.
    package static func lasting(request: Duration, token: Duration, margin: Duration) -> Duration {
        (request + token) * 2 + margin
    }
}

extension EnvironmentReader {
    package mutating func leaseMargin(_ name: String, default margin: Duration) -> Duration {
        duration(
            name, default: margin, in: .seconds(1) ... .seconds(600),
            meaning:
                "Time for a slow ledger and bus, added to that of a push and its token in the lease of claimed devices; "
                + "after a crash they wait for the whole lease.")
    }
}
