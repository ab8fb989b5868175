import PushModel
import ServiceKit
import Store
import TestSupport

/// A minimal implementation of the registry's contract, against which the log is tested.
final class ModelStore: RegistryProjection, RegistryMaintenance {
    struct Segment: Equatable {
        var applied: Int64 = 0
        var devices: [UInt16: Device] = [:]
        var subscriptions: [UInt16: [TopicName: SubscriptionOptions]] = [:]
        var badges: [UInt16: UInt32] = [:]
    }

    private struct State {
        var registry = RegistryState.absent
        var generation = 0
        var segments: [SegmentID: Segment] = [:]
        var changes = 0
        var questions = 0
        var refusals = 0
        var failures: [StoreError] = []
        var failuresOfEnd: [StoreError] = []
        var isHeld = false
    }

    private let content = Monitor(State())

    init(isReady: Bool = false) {
        if isReady { content.change { $0.registry = .ready } }
    }

    var segments: [SegmentID: Segment] { content.withLock { $0.segments } }
    var questions: Int { content.withLock { $0.questions } }

    /// What readers can see: living devices with their subscriptions and badges.
    var visible: [SegmentID: Segment] { ModelStore.visible(in: segments) }

    private static func visible(in segments: [SegmentID: Segment]) -> [SegmentID: Segment] {
        segments.compactMapValues { segment in
            var visible = Segment()
            visible.devices = segment.devices
            visible.subscriptions = segment.subscriptions.filter { segment.devices[$0.key] != nil && !$0.value.isEmpty }
            visible.badges = segment.badges.filter { segment.devices[$0.key] != nil }
            return visible.devices.isEmpty ? nil : visible
        }
    }

    /// The next reads and applications fail with these errors, one each.
    func fail(with failures: StoreError...) {
        content.change { $0.failures += failures }
    }

    /// The next attempts to finish a rebuild fail with these errors, one each.
    func failToFinish(with failures: StoreError...) {
        content.change { $0.failuresOfEnd += failures }
    }

    /// While held, nothing is applied.
    func hold(_ isHeld: Bool) {
        content.change { $0.isHeld = isHeld }
    }

    func lose() {
        content.change { state in
            state.registry = .absent
            state.segments = [:]
        }
    }

    func isAsked(_ count: Int) -> Bool {
        content.wait(timeout: .hangLimit) { $0.questions >= count ? true : nil } ?? false
    }

    func hasApplied(_ count: Int) -> Bool {
        content.wait(timeout: .hangLimit) { $0.changes >= count ? true : nil } ?? false
    }

    func hasRefused(_ count: Int) -> Bool {
        content.wait(timeout: .hangLimit) { $0.refusals >= count ? true : nil } ?? false
    }

    func hasBecome(_ visible: [SegmentID: Segment]) -> Bool {
        content.wait(timeout: .hangLimit) { ModelStore.visible(in: $0.segments) == visible ? true : nil } ?? false
    }

    func apply(_ changes: [LoggedChange]) throws(StoreError) {
        try apply(changes, in: .ready, generation: nil)
    }

    func applied(in segments: [SegmentID]) throws(StoreError) -> [Int64] {
        try content.change { state -> Result<[Int64], StoreError> in
            state.questions += 1
            if !state.failures.isEmpty { return .failure(state.failures.removeFirst()) }
            guard state.registry == .ready else {
                return .failure(StoreError(.notReady, message: "the model is not ready"))
            }
            return .success(segments.map { state.segments[$0]?.applied ?? 0 })
        }.get()
    }

    func state() -> RegistryState { content.withLock { $0.registry } }

    func initialize() {
        content.change { if $0.registry == .absent { $0.registry = .ready } }
    }

    func beginRebuild() -> any RegistryRefill {
        let generation = content.change { state in
            state.registry = .rebuilding
            state.generation += 1
            state.segments = [:]
            return state.generation
        }
        return Refill(store: self, generation: generation)
    }

    func sweep() -> SweepReport { SweepReport() }

    private struct Refill: RegistryRefill {
        let store: ModelStore
        let generation: Int

        func apply(_ changes: [LoggedChange]) throws(StoreError) {
            try store.apply(changes, in: .rebuilding, generation: generation)
        }

        func applied(in segments: [SegmentID]) -> [Int64] {
            segments.map { store.segments[$0]?.applied ?? 0 }
        }

        /// The model has no counts.
        func count(_ publications: [TopicPublication], from partition: Int32, in app: AppID) {}

        func finish() throws(StoreError) {
            let failure = store.content.change { state -> StoreError? in
                if !state.failuresOfEnd.isEmpty { return state.failuresOfEnd.removeFirst() }
                guard state.generation == generation else {
                    return StoreError(.notReady, message: "another rebuild began")
                }
                state.registry = .ready
                return nil
            }
            if let failure { throw failure }
        }
    }

    private func apply(
        _ changes: [LoggedChange], in registry: RegistryState, generation: Int?
    ) throws(StoreError) {
        let failure = content.change { state -> StoreError? in
            if !state.failures.isEmpty { return state.failures.removeFirst() }
            guard state.registry == registry, generation == nil || generation == state.generation else {
                state.refusals += 1
                return StoreError(.notReady, message: "the model is \(state.registry)")
            }
            guard !state.isHeld else { return StoreError(.unavailable, message: "held by the test") }
            for logged in changes { state.segments[logged.change.segment, default: Segment()].apply(logged) }
            state.changes += changes.count
            return nil
        }
        if let failure { throw failure }
    }
}

extension ModelStore.Segment {
    fileprivate mutating func apply(_ logged: LoggedChange) {
        guard logged.offset >= applied else { return }
        applied = logged.offset + 1
        apply(logged.change)
    }

    mutating func apply(_ change: RegistryChange) {
        let offset = change.index.offset
        switch change.content {
        case .device(let device): devices[offset] = device
        case .subscription(let topic, let options): subscriptions[offset, default: [:]][topic] = options
        case .badge(let badge): badges[offset] = badge
        case .purge, .audience, .count, .group, .transfer, .activity: break
        }
    }
}
