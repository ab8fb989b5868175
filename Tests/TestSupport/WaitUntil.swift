import ServiceKit

extension Duration {
    /// Bound of a wait for an event: only a hang exceeds it, not a machine under load.
    package static var hangLimit: Duration { .seconds(120) }
}

/// Polls a condition that has no event, until the test's own time limit. The pause between two polls leaves the
/// processor to the programs under test.
package func waitUntil(_ isSo: () async throws -> Bool) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
}

/// Polls with a limit; false when the condition does not hold within it.
package func waitUntil(within limit: Duration, _ isSo: () async throws -> Bool) async throws -> Bool {
    let deadline = SystemTimeSource().uptime + limit
    while try await !isSo() {
        guard SystemTimeSource().uptime < deadline else { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
    return true
}
