import ServiceKit

/// Asks again and again, where nobody tells; a test's own limit ends it. Between two questions the processor is left to
/// those who are to make it so.
package func waitUntil(_ isSo: () async throws -> Bool) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
}

/// False when it does not become so within the limit.
package func waitUntil(within limit: Duration, _ isSo: () async throws -> Bool) async throws -> Bool {
    let deadline = SystemTimeSource().uptime + limit
    while try await !isSo() {
        guard SystemTimeSource().uptime < deadline else { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
    return true
}
