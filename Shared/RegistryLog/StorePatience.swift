package import Bus
import ServiceKit
import Store

/// Takes the steps of a rebuild again and again while the store is away. An outage as long as all its pauses ends the
/// rebuild, which can be run again.
package struct StorePatience: Sendable {
    private static let attemptsMaximum = 12
    private let environment: WorkerEnvironment
    private let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    package init(_ environment: WorkerEnvironment) {
        self.environment = environment
    }

    /// The step may be repeated.
    package func perform<Value>(_ step: () async throws -> Value) async throws -> Value {
        var attempt = 0
        while true {
            do {
                return try await step()
            } catch {
                attempt += 1
                // Another rebuild began: this one has nothing to fill any more.
                guard let error = error as? StoreError, error.isRetriable, error.code != .notReady,
                    attempt < StorePatience.attemptsMaximum
                else { throw error }
                environment.log.warning("a rebuild waits for the store", [.error: "\(error)"])
                try await environment.time.sleep(
                    for: backoff.delay(afterAttempt: attempt, random: environment.random))
            }
        }
    }
}
