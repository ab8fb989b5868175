import Bus
import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Removes devices from the registry that a provider reports as invalid.
///
/// With proof a device is removed immediately, unless it was registered again since the attempt: a registration in the
/// second of the attempt counts as later, since the registry keeps whole seconds. Without proof a failure is counted if
/// the sender's breaker allowed it, and the device is removed at the app's limit: in the wrong environment every valid
/// device is refused.
///
/// The webhook of the app is told before a device is removed. If the process dies in between, the results come again,
/// and the outbox drops the repeat.
struct DeviceRemoval: Sendable {
    /// Devices checked concurrently.
    static let concurrency = 32

    private struct Candidate: Sendable {
        let batch: ResultBatch
        let result: DeviceResult

        /// Results written before they had a time of their own were sent right after the attempt.
        var attempted: Timestamp { result.attempted ?? batch.time }

        /// True for a push to a device's token for starting Live Activities.
        var isStart: Bool { result.provider == .liveActivity && !batch.app.isSpace }
    }

    let registry: any Registry
    /// Consecutive failures after which an app's device is removed.
    let failuresMaximum: @Sendable (AppID) -> Int
    let hasWebhook: @Sendable (AppID) -> Bool
    let archive: any TaskArchive
    let producer: any BusProducer
    private let removed: [DeviceFeedback.Cause: Counter]
    private let startTokensRemoved: Counter
    private let kept: Counter

    init(
        registry: any Registry, failuresMaximum: @escaping @Sendable (AppID) -> Int,
        hasWebhook: @escaping @Sendable (AppID) -> Bool, archive: any TaskArchive, producer: any BusProducer,
        metrics: Metrics
    ) {
        self.registry = registry
        self.failuresMaximum = failuresMaximum
        self.hasWebhook = hasWebhook
        self.archive = archive
        self.producer = producer
        removed = [
            .invalid: metrics.counter(
                .reporterDevicesRemoved, labels: ["cause": DeviceFeedback.Cause.invalid.rawValue]),
            .failures: metrics.counter(
                .reporterDevicesRemoved, labels: ["cause": DeviceFeedback.Cause.failures.rawValue]),
        ]
        startTokensRemoved = metrics.counter(.reporterStartTokensRemoved)
        kept = metrics.counter(.reporterDevicesKept)
    }

    /// Returns the feedback on the removed devices.
    func perform(_ batches: [ResultBatch]) async throws -> [DeviceFeedback] {
        // First: a failure next to a delivery, in unknown order, must not complete a row of failures.
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
                return try await group.reduce(into: []) { if let removal = $1 { $0.append(removal) } }
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
        guard !candidate.isStart else {
            try await removeStartToken(candidate)
            return nil
        }
        let cause =
            candidate.result.state == .invalidRemoved
            ? try await removeProven(candidate) : try await countFailure(candidate)
        // Tokens of Live Activities are no devices.
        guard !candidate.batch.app.isSpace else { return nil }
        return cause.map { cause in
            let batch = candidate.batch
            return DeviceFeedback(
                candidate.result, cause: cause, of: batch.task, app: batch.app, at: candidate.attempted)
        }
    }

    /// The provider does not know the token with which a Live Activity was to be started. That says nothing about the
    /// device, which keeps its own token.
    private func removeStartToken(_ candidate: Candidate) async throws {
        let (id, app) = (candidate.result.device, candidate.batch.app)
        let known = try await registry.device(id, in: app)
        guard let known, !isRegistered(known, since: candidate) else { return }
        guard let type = try await archive.readableTask(candidate.batch.task)?.content.startedType else { return }
        guard let token = known.device.startTokens[type] else { return }
        var changes = DeviceChanges()
        for (type, held) in known.device.startTokens.tokens where held == token {
            changes.startTokens[type] = .some(nil)
        }
        if try await registry.change(id, changes: changes, in: app) { startTokensRemoved.increment() }
    }

    /// A removed device is reported all the same: the process that removed it may have crashed before reporting.
    private func removeProven(_ candidate: Candidate) async throws -> DeviceFeedback.Cause? {
        let (id, app) = (candidate.result.device, candidate.batch.app)
        guard let known = try await registry.device(id, in: app) else { return .invalid }
        guard !isRegistered(known, since: candidate) else { return nil }
        try await tellRemoval(of: known, candidate)
        if try await registry.remove(id, in: app) { removed[.invalid]?.increment() }
        return .invalid
    }

    private func isRegistered(_ known: RegisteredDevice, since candidate: Candidate) -> Bool {
        guard Int64(known.device.updated) >= candidate.attempted.milliseconds / 1_000 else { return false }
        kept.increment()
        return true
    }

    private func countFailure(_ candidate: Candidate) async throws -> DeviceFeedback.Cause? {
        let app = candidate.batch.app
        let limit = failuresMaximum(app)
        let (device, task) = (candidate.result.device, candidate.batch.task)
        if let known = try await registry.device(device, in: app) {
            guard !isRegistered(known, since: candidate) else { return nil }
            // Counted without the removal; the same failure counts once.
            if hasWebhook(app),
                case .counted(limit...) = try await registry.countFailure(of: device, by: task, limit: .max, in: app)
            {
                try await tellRemoval(of: known, candidate)
            }
        }
        switch try await registry.countFailure(of: device, by: task, limit: limit, in: app) {
        case .counted: return nil
        case .removed:
            removed[.failures]?.increment()
            return .failures
        // Already removed, as above.
        case .unknownDevice: return .failures
        }
    }

    private func tellRemoval(of known: RegisteredDevice, _ candidate: Candidate) async throws {
        let app = candidate.batch.app
        guard hasWebhook(app) else { return }
        let transition = DeviceTransition(
            of: known.id, known.device, in: app, to: .ineligible, at: candidate.attempted)
        try await producer.send([Topics.statuses.message(.transition(transition), key: transition.key)])
    }
}

extension DeviceResult {
    fileprivate var isDoubtful: Bool { state == .invalidRemoved || (state == .invalid && isCounted) }
}
