package import Bus
import ServiceKit
import Store

/// Retries the steps of a rebuild or an import while the store is unavailable. An outage longer than all backoffs ends
/// the command, which can be run again.
package struct StorePatience: Sendable {
    private static let attemptsMaximum = 12
    private let environment: WorkerEnvironment
    private let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    package init(_ environment: WorkerEnvironment) {
        self.environment = environment
    }

    /// The step may run several times.
    package func perform<Value>(_ step: () async throws -> Value) async throws -> Value {
        var attempt = 0
        while true {
            do {
                return try await step()
            } catch {
                attempt += 1
                // After another rebuild has started, this one has nothing to fill.
                guard let error = error as? StoreError, error.isRetriable, error.code != .notReady,
                    attempt < StorePatience.attemptsMaximum
                else { throw error }
                environment.log.warning("store unavailable: retrying", [.error: "\(error)"])
                try await environment.time.sleep(
                    for: backoff.delay(afterAttempt: attempt, random: environment.random))
            }
        }
    }
}
