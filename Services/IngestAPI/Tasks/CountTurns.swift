import PushModel
import Synchronization

/// Bounds the counts that read the records of devices: one of an app at a time, and few of all apps.
final class CountTurns: Sendable {
    private static let countsMaximum = 2

    private let running = Mutex<Set<AppID>>([])

    func run<Value: Sendable>(
        for app: AppID, isolation: isolated (any Actor)? = #isolation, body: () async throws -> Value
    ) async throws -> Value {
        let mayRun = running.withLock { running in
            running.count < CountTurns.countsMaximum && running.insert(app).inserted
        }
        guard mayRun else { throw TaskError.counting }
        defer { running.withLock { _ = $0.remove(app) } }
        return try await body()
    }
}
