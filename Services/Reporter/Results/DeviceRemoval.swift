import PushModel
import ServiceKit
import Store
import Topics

/// Takes devices from the registry that a provider does not know any more.
///
/// With proof a device goes at once, unless it was registered anew since the provider was asked: the second of the attempt
/// counts as since, as the registry keeps whole seconds. Without proof a failure is counted where the sender's breaker let
/// it count, and it goes when its app has had enough of them: sent to the wrong environment, every living device is
/// refused.
struct DeviceRemoval: Sendable {
    /// Devices asked for at once.
    static let concurrency = 32

    private struct Candidate: Sendable {
        let batch: ResultBatch
        let result: DeviceResult

        /// Results that were written before they had a time of their own were told right after the attempt.
        var attempted: Timestamp { result.attempted ?? batch.time }
    }

    let registry: any Registry
    /// Failures in a row after which an app's device goes.
    let failuresMaximum: @Sendable (AppID) -> Int
    private let removed: [DeviceFeedback.Cause: Counter]
    private let kept: Counter

    init(registry: any Registry, failuresMaximum: @escaping @Sendable (AppID) -> Int, metrics: Metrics) {
        self.registry = registry
        self.failuresMaximum = failuresMaximum
        removed = [
            .invalid: metrics.counter(
                .reporterDevicesRemoved, labels: ["cause": DeviceFeedback.Cause.invalid.rawValue]),
            .failures: metrics.counter(
                .reporterDevicesRemoved, labels: ["cause": DeviceFeedback.Cause.failures.rawValue]),
        ]
        kept = metrics.counter(.reporterDevicesKept)
    }

    /// What is to be told of the devices that are gone.
    func perform(_ batches: [ResultBatch]) async throws -> [DeviceFeedback] {
        // First: a failure beside a delivery, of which nobody knows which was earlier, is not to be the last of a row.
        try await forgetFailures(batches)
        var rest = batches.flatMap { batch in
            batch.results.filter(\.isDoubtful).map { Candidate(batch: batch, result: $0) }
        }[...]
        var feedback: [DeviceFeedback] = []
        while !rest.isEmpty {
            let part = rest.prefix(DeviceRemoval.concurrency)
            rest = rest.dropFirst(part.count)
            feedback += try await withThrowingTaskGroup(of: DeviceFeedback?.self) { group in
                for candidate in part { group.addTask { try await judge(candidate) } }
                return try await group.reduce(into: []) { if let told = $1 { $0.append(told) } }
            }
        }
        return feedback
    }

    private func forgetFailures(_ batches: [ResultBatch]) async throws {
        for (app, batches) in Dictionary(grouping: batches, by: \.app) {
            let delivered = batches.flatMap(\.results).filter { $0.state == .delivered }.map(\.device)
            if !delivered.isEmpty { try await registry.forgetFailures(of: delivered, in: app) }
        }
    }

    private func judge(_ candidate: Candidate) async throws -> DeviceFeedback? {
        let cause =
            candidate.result.state == .invalidRemoved
            ? try await removeProven(candidate) : try await countFailure(candidate)
        return cause.map { cause in
            let batch = candidate.batch
            return DeviceFeedback(
                candidate.result, cause: cause, of: batch.task, app: batch.app, at: candidate.attempted)
        }
    }

    /// One that is gone already is told of all the same: whoever removed it may have died before it told.
    private func removeProven(_ candidate: Candidate) async throws(StoreError) -> DeviceFeedback.Cause? {
        let (id, app) = (candidate.result.device, candidate.batch.app)
        guard let known = try await registry.device(id, in: app) else { return .invalid }
        guard !isRegisteredSince(known, candidate: candidate) else { return nil }
        if try await registry.remove(id, in: app) { removed[.invalid]?.increment() }
        return .invalid
    }

    private func isRegisteredSince(_ known: RegisteredDevice, candidate: Candidate) -> Bool {
        guard Int64(known.device.updated) >= candidate.attempted.milliseconds / 1_000 else { return false }
        kept.increment()
        return true
    }

    private func countFailure(_ candidate: Candidate) async throws(StoreError) -> DeviceFeedback.Cause? {
        let app = candidate.batch.app
        let limit = failuresMaximum(app)
        let (device, task) = (candidate.result.device, candidate.batch.task)
        if let known = try await registry.device(device, in: app), isRegisteredSince(known, candidate: candidate) {
            return nil
        }
        switch try await registry.countFailure(of: device, by: task, limit: limit, in: app) {
        case .counted: return nil
        case .removed:
            removed[.failures]?.increment()
            return .failures
        // As above.
        case .unknownDevice: return .failures
        }
    }
}

extension DeviceResult {
    fileprivate var isDoubtful: Bool { state == .invalidRemoved || (state == .invalid && isCounted) }
}
