import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

/// The lifecycle of a task: plan, marks, jobs, cancel, deadline, closing.
@Suite(.timeLimit(.minutes(5))) struct LedgerTaskTests {
    @Test(arguments: StoreKind.allCases)
    func theFirstPlanHolds(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        #expect(try await fixture.ledger.progress(of: fixture.task) == nil)
        #expect(try await fixture.mark([1]) == .missing)
        let plan = fixture.makePlan(jobs: 300, isFast: true, policy: .atMostOnce)
        #expect(try await fixture.ledger.plan(fixture.task, as: plan) == plan)
        #expect(try await fixture.ledger.plan(fixture.task, as: fixture.makePlan(jobs: 2)) == plan)
        let progress = try #require(try await fixture.ledger.progress(of: fixture.task))
        #expect(
            progress
                == TaskProgress(
                    plan: plan, jobsResolved: 0, isCancelled: false, counts: StateCounts(), closed: nil))
        await #expect(throws: StoreError.self) {
            try await fixture.ledger.plan(
                TaskID(high: 0, low: 0), as: fixture.makePlan(jobs: TaskPlan.jobsMaximum + 1))
        }
    }

    /// Goal: a small task is planned, stored and entered in one step, and only once.
    @Test(arguments: StoreKind.allCases)
    func aTaskForFewBeginsOnce(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (ledger, task, segment) = (fixture.ledger, fixture.task, fixture.segment)
        let plan = fixture.makePlan(isFast: true)
        let other = SegmentID(segment.app, number: SegmentNumber(rawValue: segment.number.rawValue + 1))
        let entered = EnteredTask(plan: plan, isCancelled: false)
        let segments = [segment.number, other.number]
        #expect(try await ledger.begin(task, plan: plan, devices: [7, 0], in: segments) == .begun(entered))
        let again = fixture.makePlan(isFast: true, policy: .atMostOnce)
        #expect(
            try await ledger.begin(task, plan: again, devices: [8], in: [SegmentNumber(rawValue: 9)]) == .planned(plan))
        #expect(try await ledger.decidedDevices(of: task) == [7, 0])
        #expect(Set(try await ledger.openSegments(of: task)) == [segment, other])
        let devices = SegmentSet([1, 2])
        #expect(try await ledger.mark(devices, of: task, in: segment, enteredIn: entered) == .open(devices))
        #expect(try await fixture.mark([1, 2]) == .open(devices))
        #expect(try await ledger.isResolved(job: 0, of: task) == false)
        #expect(try await ledger.progress(of: task)?.counts[.targeted] == 2)
        try await ledger.resolve(job: 0, of: task)
        #expect(try await ledger.decidedDevices(of: task) == nil)
        #expect(try await ledger.isResolved(job: 0, of: task) == true)
        #expect(try await ledger.begin(task, plan: plan, devices: [9], in: []) == .planned(plan))
    }

    /// Goal: list entries without a device are counted once, however often a job is repeated, and stay in the counts of
    /// the closed task. Method: each job is resolved twice, the second time with another number, as after a change of the
    /// registry.
    @Test(arguments: StoreKind.allCases)
    func entriesWithoutADeviceAreCountedOnce(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (ledger, task) = (fixture.ledger, fixture.task)
        try await ledger.resolve(job: 0, unmatched: 9, of: task)
        _ = try await ledger.plan(task, as: fixture.makePlan(jobs: 3))
        #expect(try await ledger.progress(of: task)?.unmatched == 0)
        for (job, sum) in [(2, 250_000), (0, 250_000), (1, 250_007)] {
            let count = [0, 7, 250_000][job]
            try await ledger.resolve(job: job, unmatched: count, of: task)
            try await ledger.resolve(job: job, unmatched: count + 1, of: task)
            #expect(try await ledger.progress(of: task)?.unmatched == sum)
        }
        #expect(try await ledger.close([], of: task)?.unmatched == 250_007)
        #expect(try await ledger.progress(of: task)?.closed != nil)
    }

    /// The same for a small task: they are counted when it begins.
    @Test(arguments: StoreKind.allCases)
    func aTaskForFewBeginsWithItsUnmatchedEntries(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (ledger, task) = (fixture.ledger, fixture.task)
        let plan = fixture.makePlan(isFast: true)
        for count in [3, 4] { _ = try await ledger.begin(task, plan: plan, devices: [], unmatched: count, in: []) }
        #expect(try await ledger.progress(of: task)?.unmatched == 3)
        try await ledger.resolve(job: 0, of: task)
        #expect(try await ledger.close([], of: task)?.unmatched == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskWithoutDevicesBeginsAndCloses(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let plan = fixture.makePlan(isFast: true)
        #expect(try await fixture.ledger.decidedDevices(of: fixture.task) == nil)
        _ = try await fixture.ledger.begin(fixture.task, plan: plan, devices: [], in: [])
        #expect(try await fixture.ledger.decidedDevices(of: fixture.task) == [])
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        #expect(try await fixture.ledger.close([], of: fixture.task)?.closed != nil)
    }

    /// Also for a task cancelled before it begins: everything it marks is cancelled immediately.
    @Test(arguments: StoreKind.allCases)
    func whatIsCancelledBeginsToEnd(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (ledger, task, segment) = (fixture.ledger, fixture.task, fixture.segment)
        _ = try await ledger.cancel(task, in: segment)
        let plan = fixture.makePlan(isFast: true)
        let entered = EnteredTask(plan: plan, isCancelled: true)
        #expect(try await ledger.begin(task, plan: plan, devices: [1], in: [segment.number]) == .begun(entered))
        #expect(
            try await ledger.mark(SegmentSet([5]), of: task, in: segment, enteredIn: entered) == .cancelled)
        #expect(try await fixture.states() == [5: .cancelled])
    }

    /// A mark obeys a cancel that came after the beginning; a closed segment accepts no marks.
    @Test(arguments: StoreKind.allCases)
    func aMarkObeysWhatCameAfterTheBeginning(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (ledger, task, segment) = (fixture.ledger, fixture.task, fixture.segment)
        let plan = fixture.makePlan(isFast: true)
        let entered = EnteredTask(plan: plan, isCancelled: false)
        _ = try await ledger.begin(task, plan: plan, devices: [1], in: [segment.number])
        _ = try await ledger.cancel(task, in: segment)
        #expect(
            try await ledger.mark(SegmentSet([5]), of: task, in: segment, enteredIn: entered) == .cancelled)
        try await ledger.resolve(job: 0, of: task)
        #expect(try await ledger.close([segment], of: task)?.closed != nil)
        #expect(try await ledger.mark(SegmentSet([6]), of: task, in: segment, enteredIn: entered) == .missing)
    }

    @Test(arguments: StoreKind.allCases)
    func jobsMergeDeviceByDevice(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2], jobs: 2)
        #expect(try await fixture.mark([2, 4_095]) == .open(SegmentSet([2, 4_095])))
        _ = try await fixture.claim(1, offsets: [1, 2])
        try await fixture.settle(1, offsets: [1])
        // A redelivered job returns only the devices that have not ended.
        #expect(try await fixture.mark([1, 2]) == .open(SegmentSet([2])))
        #expect(try await fixture.states() == [1: .delivered, 2: .claimed, 4_095: .targeted])
        let wrong = SegmentID(Samples.freshApp(), number: fixture.segment.number)
        #expect(try await fixture.ledger.mark(SegmentSet([1]), of: fixture.task, in: wrong) == .missing)
        #expect(try await fixture.ledger.openSegments(of: fixture.task) == [fixture.segment])
    }

    /// Goal: a ledger that outgrows its list of entries keeps every state. Method: mark up to the limit, set device
    /// states of all kinds, then mark one more device.
    @Test(arguments: StoreKind.allCases)
    func aLedgerGrowsOverItsBorder(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let offsets = (0..<512).map { UInt16($0 * 7) }
        try await fixture.begin(offsets)
        _ = try await fixture.claim(1, offsets: Array(offsets[100..<300]))
        try await fixture.settle(1, offsets: Array(offsets[150..<200]))
        try await fixture.settle(1, offsets: Array(offsets[200..<220]), as: .waiting, attempt: 3)
        let before = try await fixture.states()
        #expect(before.count == 512)
        #expect(try await fixture.mark([1]) == .open(SegmentSet([1])))
        var expected = before
        expected[1] = .targeted
        #expect(try await fixture.states() == expected)
        #expect(
            try await fixture.claim(2, offsets: [0, 1, 2, offsets[210]], attempt: 2) == [
                .claimed(badge: nil), .claimed(badge: nil), .unmarked, .superseded,
            ])
        #expect(try await fixture.settle(1, offsets: [offsets[100], offsets[299], 1]) == [1])
        #expect(try await fixture.settle(2, offsets: [0, 1]) == [])
        let snapshot = try #require(try await fixture.ledger.states(of: fixture.task, in: fixture.segment))
        #expect(snapshot.counts[.delivered] == 54)
        #expect(snapshot.counts[.waiting] == 20)
        #expect(snapshot.counts.targeted == 513)
        for state in DeliveryState.allCases where state != .notTargeted {
            #expect(snapshot.counts[state] == snapshot.states.values.filter { $0 == state }.count)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aWholeSegmentEndsAndSumsUp(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let all = (0..<4_096).map { UInt16($0) }
        try await fixture.begin(all)
        for start in stride(from: 0, to: 4_096, by: 256) {
            let part = Array(all[start..<start + 256])
            #expect(try await fixture.claim(UInt64(start), offsets: part).allSatisfy { $0 == .claimed(badge: nil) })
            #expect(try await fixture.settle(UInt64(start), offsets: Array(part[..<255])) == [])
            #expect(try await fixture.settle(UInt64(start), offsets: [part[255]], as: .invalid, status: 410) == [])
        }
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let progress = try #require(try await fixture.ledger.close([fixture.segment], of: fixture.task))
        #expect(progress.closed == fixture.time.now)
        #expect(progress.counts[.delivered] == 4_080)
        #expect(progress.counts[.invalid] == 16)
        #expect(progress.counts.targeted == 4_096)
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskClosesOnceAllIsDone(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (task, first) = (fixture.task, fixture.segment)
        let second = SegmentID(first.app, number: SegmentNumber(rawValue: 1))
        let both = [first, second]
        try await fixture.begin([1, 2], jobs: 2)
        _ = try await fixture.ledger.mark(SegmentSet([7]), of: task, in: second)
        try await fixture.ledger.resolve(job: 1, of: task)
        try await fixture.ledger.resolve(job: 1, of: task)
        _ = try await fixture.claim(1, offsets: [1, 2])
        try await fixture.settle(1, offsets: [1, 2])
        let early = try #require(try await fixture.ledger.close(both, of: task))
        #expect(early.jobsResolved == 1)
        #expect(try await fixture.ledger.openSegments(of: task) == [second, first])
        try await fixture.ledger.resolve(job: 0, of: task)
        let half = try #require(try await fixture.ledger.close(both, of: task))
        #expect(half.closed == nil)
        #expect(half.counts[.delivered] == 2)
        #expect(half.counts[.targeted] == 1)
        #expect(try await fixture.ledger.openSegments(of: task) == [second])
        // A closed segment accepts no marks, even while the task is open.
        #expect(try await fixture.mark([1, 3]) == .missing)
        _ = try await fixture.ledger.claim(fixture.request(2, offsets: [7]), of: task, in: second)
        let end = Settlement.Group(offsets: [7], state: .suppressed, attempt: 0)
        let settlement = Settlement(claim: ClaimID(owner: 7, number: 2), groups: [end])
        _ = try await fixture.ledger.settle(settlement, of: task, in: second)
        let closed = try #require(try await fixture.ledger.close(both, of: task))
        let moment = fixture.time.now
        #expect(closed.closed == moment)
        fixture.time.advance(by: .seconds(5))
        try await fixture.ledger.resolve(job: 0, of: task)
        #expect(try await fixture.ledger.close(both, of: task) == closed)
        #expect(try await fixture.ledger.progress(of: task) == closed)
        #expect(try await fixture.ledger.openSegments(of: task) == [])
        #expect(try await fixture.ledger.cancel(task, in: second).isEmpty)
        #expect(try await fixture.ledger.progress(of: task)?.isCancelled == false)
        #expect(try await fixture.ledger.mark(SegmentSet([7]), of: task, in: second) == .missing)
        #expect(try await fixture.claim(9, offsets: [1, 5]) == [.ended(.delivered), .unmarked])
    }

    @Test(arguments: StoreKind.allCases)
    func noSegmentIsEnteredAfterTheLastJob(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1])
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        #expect(try await fixture.mark([1]) == .open(SegmentSet([1])))
        let other = SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 99))
        #expect(try await fixture.ledger.mark(SegmentSet([1]), of: fixture.task, in: other) == .missing)
        #expect(try await fixture.ledger.cancel(fixture.task, in: other).isEmpty)
        #expect(try await fixture.ledger.openSegments(of: fixture.task) == [fixture.segment])
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskWithoutDevicesCloses(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        #expect(try await fixture.ledger.close([], of: fixture.task) == nil)
        _ = try await fixture.ledger.plan(fixture.task, as: fixture.makePlan(jobs: 1))
        #expect(try await fixture.ledger.close([], of: fixture.task)?.closed == nil)
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        #expect(try await fixture.ledger.close([], of: fixture.task)?.closed == fixture.time.now)
        let empty = TaskID(high: 2, low: fixture.task.low)
        _ = try await fixture.ledger.plan(empty, as: fixture.makePlan(jobs: 0))
        #expect(try await fixture.ledger.close([], of: empty)?.closed == fixture.time.now)
    }

    @Test(arguments: StoreKind.allCases)
    func aJobThatDoesNotExistIsNoJob(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.ledger.resolve(job: 5, of: fixture.task)
        _ = try await fixture.ledger.plan(fixture.task, as: fixture.makePlan(jobs: 2))
        for job in [-1, 2] {
            await #expect(throws: StoreError.self) { try await fixture.ledger.resolve(job: job, of: fixture.task) }
        }
        #expect(try await fixture.ledger.progress(of: fixture.task)?.jobsResolved == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func aJobKnowsWhetherItIsResolved(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let task = fixture.task
        #expect(try await fixture.ledger.isResolved(job: 0, of: task) == nil)
        // A cancel before the plan creates no plan.
        _ = try await fixture.ledger.cancel(task, in: fixture.segment)
        #expect(try await fixture.ledger.isResolved(job: 0, of: task) == nil)
        _ = try await fixture.ledger.plan(task, as: fixture.makePlan(jobs: 9))
        try await fixture.ledger.resolve(job: 8, of: task)
        for job in -1...9 {
            #expect(try await fixture.ledger.isResolved(job: job, of: task) == (job == 8))
        }
        for job in 0..<8 { try await fixture.ledger.resolve(job: job, of: task) }
        #expect(try await fixture.ledger.isResolved(job: 3, of: task) == true)
        // Once all jobs are resolved, no record of single jobs remains.
        #expect(try await fixture.ledger.isResolved(job: 9, of: task) == true)
        try await fixture.ledger.resolve(job: 9, of: task)
        #expect(try await fixture.ledger.close([], of: task)?.closed != nil)
        #expect(try await fixture.ledger.isResolved(job: 8, of: task) == true)
    }

    @Test(arguments: StoreKind.allCases)
    func cancelEndsUnclaimedDevices(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3, 4, 5])
        _ = try await fixture.claim(1, offsets: [2, 3, 4])
        try await fixture.settle(1, offsets: [2])
        try await fixture.settle(1, offsets: [3], as: .waiting, attempt: 1)
        #expect(try await fixture.ledger.cancel(fixture.task, in: fixture.segment) == SegmentSet([1, 3, 5]))
        #expect(try await fixture.mark([1, 4, 8]) == .cancelled)
        #expect(
            try await fixture.states()
                == [1: .cancelled, 2: .delivered, 3: .cancelled, 4: .claimed, 5: .cancelled, 8: .cancelled])
        try await fixture.settle(1, offsets: [4], as: .waiting)
        #expect(try await fixture.ledger.cancel(fixture.task, in: fixture.segment) == SegmentSet([4]))
        let snapshot = try #require(try await fixture.ledger.states(of: fixture.task, in: fixture.segment))
        #expect(snapshot.isCancelled)
        #expect(snapshot.counts[.cancelled] == 5)
        #expect(try await fixture.ledger.progress(of: fixture.task)?.isCancelled == true)
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsMarkedAfterACancelEndsAtOnce(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        _ = try await fixture.ledger.plan(fixture.task, as: fixture.makePlan())
        #expect(try await fixture.ledger.cancel(fixture.task, in: fixture.segment).isEmpty)
        #expect(try await fixture.mark([1, 2]) == .cancelled)
        // Also in a segment that was not cancelled explicitly.
        let other = SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 40))
        #expect(try await fixture.ledger.mark(SegmentSet([9]), of: fixture.task, in: other) == .cancelled)
        #expect(try await fixture.claim(1, offsets: [1]) == [.ended(.cancelled)])
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        let progress = try #require(try await fixture.ledger.close([fixture.segment, other], of: fixture.task))
        #expect(progress.closed != nil)
        #expect(progress.counts[.cancelled] == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aCancelMayComeBeforeThePlan(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        #expect(try await !fixture.ledger.isCancelled(fixture.task))
        #expect(try await fixture.ledger.cancel(fixture.task, in: fixture.segment).isEmpty)
        #expect(try await fixture.ledger.progress(of: fixture.task) == nil)
        #expect(try await fixture.ledger.isCancelled(fixture.task))
        _ = try await fixture.ledger.plan(fixture.task, as: fixture.makePlan())
        #expect(try await fixture.ledger.progress(of: fixture.task)?.isCancelled == true)
        #expect(try await fixture.mark([1]) == .cancelled)
    }

    @Test(arguments: StoreKind.allCases)
    func atTheDeadlineTheRestEnds(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (task, segment) = (fixture.task, fixture.segment)
        try await fixture.begin([1, 2, 3, 4, 5])
        _ = try await fixture.claim(1, offsets: [2, 3])
        try await fixture.settle(1, offsets: [2], as: .waiting, attempt: 1, status: 503, reason: "Busy")
        fixture.time.advance(by: LedgerFixture.deadline - .milliseconds(1))
        _ = try await fixture.claim(2, offsets: [4])
        #expect(try await fixture.ledger.expire(task, in: segment, untried: .expired) == [:])
        fixture.time.advance(by: .milliseconds(1))
        let ended = try await fixture.ledger.expire(task, in: segment, untried: .expired)
        #expect(ended == [.expired: SegmentSet([1, 2, 5]), .unknown: SegmentSet([3])])
        #expect(try await fixture.state(4) == .claimed)
        #expect(try await fixture.mark([6]) == .open(SegmentSet([6])))
        #expect(try await fixture.settle(1, offsets: [3]) == [3])
        #expect(try await fixture.detail(2)?.reason == "Busy")
        #expect(try await fixture.detail(2)?.state == .expired)
        fixture.letLeasesDie()
        #expect(
            try await fixture.ledger.expire(task, in: segment, untried: .expired)
                == [.expired: SegmentSet([6]), .unknown: SegmentSet([4])])
        #expect(try await fixture.ledger.expire(task, in: segment, untried: .expired) == [:])
    }

    /// If claims may have been lost, it is unknown whether a device was sent to.
    @Test(arguments: StoreKind.allCases)
    func atTheDeadlineTheRestIsUnknownWhereClaimsMayBeForgotten(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (task, segment) = (fixture.task, fixture.segment)
        try await fixture.begin([1, 2, 3, 4])
        _ = try await fixture.claim(1, offsets: [2])
        try await fixture.settle(1, offsets: [2], as: .waiting, attempt: 1)
        _ = try await fixture.claim(2, offsets: [3])
        fixture.passDeadline()
        fixture.letLeasesDie()
        let ended = try await fixture.ledger.expire(task, in: segment, untried: .unknown)
        #expect(ended == [.unknown: SegmentSet([1, 2, 3, 4])])
        #expect(try await fixture.state(1) == .unknown)
        #expect(try await fixture.ledger.expire(task, in: segment, untried: .unknown) == [:])
    }

    @Test(arguments: StoreKind.allCases)
    func whatWasCancelledDoesNotExpire(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1])
        _ = try await fixture.claim(1, offsets: [1])
        _ = try await fixture.ledger.cancel(fixture.task, in: fixture.segment)
        try await fixture.settle(1, offsets: [1], as: .waiting, attempt: 1)
        fixture.passDeadline()
        #expect(
            try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired) == [
                .cancelled: SegmentSet([1])
            ])
    }

    /// The outcomes of a task can be read after it is closed, regardless of when its segments were closed.
    @Test(arguments: StoreKind.allCases)
    func theOutcomesOfATaskForFewAreReadAtOnce(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        let (ledger, task) = (fixture.ledger, fixture.task)
        #expect(try await ledger.outcomes(of: task) == nil)
        try await fixture.begin([1, 2, 7], isFast: true)
        let alone = SegmentID(fixture.segment.app, number: SegmentNumber(rawValue: 1))
        _ = try await ledger.mark(SegmentSet([9]), of: task, in: alone)
        try await ledger.resolve(job: 0, of: task)
        _ = try await fixture.claim(1, offsets: [1, 2])
        try await fixture.settle(1, offsets: [2], as: .failed, attempt: 4, status: 400, reason: "Bad")
        try await fixture.settle(1, offsets: [1], status: 200)
        _ = try await ledger.claim(fixture.request(2, offsets: [9]), of: task, in: alone)
        let end = Settlement.Group(offsets: [9], state: .invalidRemoved, attempt: 0, status: 410, reason: "Gone")
        _ = try await ledger.settle(
            Settlement(claim: ClaimID(owner: 7, number: 2), groups: [end]), of: task, in: alone)
        // One of its segments is closed before the other.
        _ = try await ledger.close([alone], of: task)
        #expect(try await ledger.outcomes(of: task) == nil)
        _ = try await ledger.cancel(task, in: fixture.segment)
        let plan = try #require(try await ledger.close([fixture.segment], of: task)?.plan)
        let outcomes = try #require(try await ledger.outcomes(of: task))
        #expect(outcomes.plan == plan)
        func detail(_ attempt: UInt8, status: UInt16, reason: String, state: DeliveryState) -> OutcomeDetail {
            OutcomeDetail(state: state, attempt: attempt, time: fixture.time.now, status: status, reason: reason)
        }
        func device(_ segment: SegmentID, offset: UInt16, state: DeliveryState, detail: OutcomeDetail?)
            -> TaskOutcomes.Device
        {
            TaskOutcomes.Device(
                index: DeviceIndex(segment: segment.number, offset: offset), state: state, detail: detail)
        }
        #expect(
            outcomes.devices == [
                device(
                    alone, offset: 9, state: .invalidRemoved,
                    detail: detail(0, status: 410, reason: "Gone", state: .invalidRemoved)),
                device(
                    fixture.segment, offset: 1, state: .delivered,
                    detail: detail(0, status: 200, reason: "", state: .delivered)),
                device(
                    fixture.segment, offset: 2, state: .failed,
                    detail: detail(4, status: 400, reason: "Bad", state: .failed)),
                device(fixture.segment, offset: 7, state: .cancelled, detail: nil),
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskForManyOrNoDevicesHasNoOutcomes(kind: StoreKind) async throws {
        for isFast in [true, false] {
            let fixture = try await kind.ledger()
            _ = try await fixture.ledger.plan(fixture.task, as: fixture.makePlan(isFast: isFast))
            try await fixture.ledger.resolve(job: 0, of: fixture.task)
            #expect(try await fixture.ledger.close([], of: fixture.task)?.closed != nil)
            #expect(try await fixture.ledger.outcomes(of: fixture.task)?.devices == (isFast ? [] : nil))
        }
    }

    /// The ledgers of a small task are released after its report; until then they are kept like any others.
    @Test(arguments: StoreKind.allCases)
    func ledgersGoAfterTheirTime(kind: StoreKind) async throws {
        for (isFast, isReleased) in [(true, true), (true, false), (false, true)] {
            let fixture = try await kind.ledger()
            try await fixture.begin([1, 2], isFast: isFast)
            _ = try await fixture.claim(1, offsets: [1, 2])
            try await fixture.settle(1, offsets: [1, 2], as: .failed)
            try await fixture.ledger.resolve(job: 0, of: fixture.task)
            // A task that is not closed keeps everything.
            try await fixture.ledger.release(fixture.task)
            _ = try await fixture.ledger.close([fixture.segment], of: fixture.task)
            for _ in 0..<(isReleased ? 2 : 0) { try await fixture.ledger.release(fixture.task) }
            let released = isFast && isReleased ? TaskPlan.retention(isFast: true) : nil
            let life = released ?? TaskPlan.closedRetention
            guard let redis = fixture.redis else {
                fixture.time.advance(by: life - .milliseconds(1))
                #expect(try await fixture.ledger.progress(of: fixture.task) != nil)
                #expect(try await fixture.states().count == 2)
                fixture.time.advance(by: .milliseconds(1))
                #expect(try await fixture.ledger.progress(of: fixture.task) == nil)
                #expect(try await fixture.states().isEmpty)
                continue
            }
            let place = "{\(fixture.segment)}:\(fixture.task.key)"
            let lives = [
                "led:\(place)": life, "det:\(place)": released ?? TaskPlan.detailRetention,
                "task:{\(fixture.task.key)}": life,
            ]
            for (key, life) in lives {
                let left = try #require(try await redis.send(RedisCommand("PTTL", RedisArgument(key))).integer)
                #expect((life.wholeMilliseconds - 60_000...life.wholeMilliseconds).contains(left))
            }
            for family in ["clm:\(place)", "jobs:{\(fixture.task.key)}", "segs:{\(fixture.task.key)}"] {
                #expect(try await redis.send(RedisCommand("EXISTS", RedisArgument(family))) == .integer(0))
            }
        }
    }
}
