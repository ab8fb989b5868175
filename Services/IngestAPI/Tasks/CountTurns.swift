import PushModel
import ServiceKit
import Synchronization

/// Bounds the counts that read the records of devices: one of an app at a time, and few of all apps.
final class CountTurns: Sendable {
    private static let countsMaximum = 2

    private let running = Mutex<Set<AppID>>([])
    private let meter: Gauge

    init(_ metrics: Metrics) {
        meter = metrics.gauge(.ingestCountsRunning)
    }

    func run<Value: Sendable>(
        for app: AppID, isolation: isolated (any Actor)? = #isolation, body: () async throws -> Value
    ) async throws -> Value {
        guard begin(app) else { throw TaskError.counting }
        defer { end(app) }
        return try await body()
    }

    private func begin(_ app: AppID) -> Bool {
        running.withLock { running in
            guard running.count < CountTurns.countsMaximum, running.insert(app).inserted else { return false }
            meter.set(running.count)
            return true
        }
    }

    private func end(_ app: AppID) {
        running.withLock { running in
            running.remove(app)
            meter.set(running.count)
        }
    }
}
