import MemoryStore
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Simulation

/// A ledger with a task and a segment of the test's own.
struct LedgerFixture: Sendable {
    let ledger: any Ledger
    /// Nil if the ledger is in memory.
    let redis: RedisClient?
    let task = Samples.freshTask()
    let segment: SegmentID
    /// Kept alive for as long as the test runs.
    private let store: StoreFixture

    static let deadline = Duration.seconds(600)
    static let lease = Duration.seconds(30)
    /// The answer for a device that was just claimed.
    static let held = ClaimAnswer.held(for: lease)

    init(_ store: StoreFixture) throws {
        self.store = store
        redis = try store.client()
        ledger =
            if let redis {
                RedisLedger(StoreConnection(redis), time: store.time)
            } else if let seam = store.seam {
                SimulatedLedger(base: MemoryLedger(time: store.time), seam: seam, witness: SimulatedWitness(seam))
            } else {
                MemoryLedger(time: store.time)
            }
        segment = SegmentID(store.app, number: SegmentNumber(rawValue: 3))
    }

    var time: ManualTimeSource { store.time }

    func makePlan(
        jobs: Int = 1, isFast: Bool = false, policy: TaskPlan.AmbiguityPolicy = .atLeastOnce
    ) -> TaskPlan {
        TaskPlan(
            app: segment.app, jobs: jobs, isFast: isFast, deadline: time.now + LedgerFixture.deadline, policy: policy)
    }

    /// Plans the task and marks the devices.
    func begin(
        _ offsets: some Sequence<UInt16>, jobs: Int = 1, isFast: Bool = false,
        policy: TaskPlan.AmbiguityPolicy = .atLeastOnce
    ) async throws {
        _ = try await ledger.plan(task, as: makePlan(jobs: jobs, isFast: isFast, policy: policy))
        let devices = SegmentSet(offsets)
        #expect(try await mark(devices.offsets) == .open(devices))
    }

    func mark(_ offsets: [UInt16]) async throws -> MarkVerdict {
        try await ledger.mark(SegmentSet(offsets), of: task, in: segment)
    }

    func request(
        _ number: UInt64, offsets: [UInt16], attempt: UInt8 = 0, badges: Bool = false,
        kind: ClaimRequest.Kind = .attempt, cap: PushCap? = nil, deadline: Timestamp? = nil
    ) -> ClaimRequest {
        ClaimRequest(
            id: ClaimID(owner: 7, number: number), offsets: offsets, attempt: attempt, lease: LedgerFixture.lease,
            countsBadge: badges, kind: kind, cap: cap, deadline: deadline)
    }

    /// The answers to a claim; nil if the ledger is missing.
    func claim(
        _ number: UInt64, offsets: [UInt16], attempt: UInt8 = 0, badges: Bool = false,
        kind: ClaimRequest.Kind = .attempt, deadline: Timestamp? = nil
    ) async throws -> [ClaimAnswer] {
        let request = request(
            number, offsets: offsets, attempt: attempt, badges: badges, kind: kind, deadline: deadline)
        guard case .answers(let answers) = try await ledger.claim(request, of: task, in: segment) else { return [] }
        return answers
    }

    /// The rejected offsets of a settlement in one group; nil if the ledger is missing.
    @discardableResult
    func settle(
        _ number: UInt64, offsets: [UInt16], as state: DeliveryState = .delivered, attempt: UInt8 = 0,
        status: UInt16 = 0, reason: String = "", due: Timestamp? = nil, attempted: Timestamp? = nil,
        provider: PushProtocol? = nil
    ) async throws -> [UInt16]? {
        let group = Settlement.Group(
            offsets: offsets, state: state, attempt: attempt, status: status, reason: reason, due: due,
            provider: provider)
        let settlement = Settlement(claim: ClaimID(owner: 7, number: number), groups: [group], attempted: attempted)
        guard case .settled(let refused) = try await ledger.settle(settlement, of: task, in: segment) else {
            return nil
        }
        return refused.offsets
    }

    func states() async throws -> [UInt16: DeliveryState] {
        try await ledger.states(of: task, in: segment)?.states ?? [:]
    }

    func state(_ offset: UInt16) async throws -> DeliveryState? {
        try await states()[offset]
    }

    func detail(_ offset: UInt16) async throws -> OutcomeDetail? {
        try await ledger.detail(of: offset, task: task, in: segment)
    }

    func letLeasesDie() {
        time.advance(by: LedgerFixture.lease)
    }

    func passDeadline() {
        time.advance(by: LedgerFixture.deadline)
    }
}

extension StoreKind {
    func ledger(_ ownership: StoreOwnership = .shared) async throws -> LedgerFixture {
        try LedgerFixture(try await StoreFixture(self, ownership: ownership))
    }
}
