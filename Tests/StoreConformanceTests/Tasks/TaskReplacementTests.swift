import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing

/// Of the tasks of a key the last accepted goes out, and no other: never both, never neither.
@Suite(.timeLimit(.minutes(10))) struct TaskReplacementTests {
    private static let day = Duration.seconds(86_400)
    /// When the replaced task and the one that replaces it are to be sent.
    private static let times: [(Duration, Duration)] = [(.zero, .zero), (.zero, day), (day, .zero), (day, day)]

    @Test(arguments: StoreKind.allCases)
    func theLastOneGoesOut(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            for (first, second) in Self.times {
                let fixture = try fresh()
                let tasks = [first, second, first].map { fixture.task(after: $0) }
                for (number, task) in tasks.enumerated() {
                    #expect(try await fixture.accept(task))
                    #expect(try await fixture.goingOut(of: tasks) == [task.id])
                    for old in tasks[..<number] {
                        #expect(try await fixture.isReported(old))
                        #expect(try await fixture.stores.replacements.successor(of: old.id) != nil)
                    }
                }
                #expect(try await fixture.stores.replacements.successor(of: tasks[0].id) == tasks[1].id)
                fixture.letSwapsBecomeDue()
                #expect(try await fixture.sweepOnce() == 0)
            }
        }
    }

    /// Goal: whatever dies when, the sweep leaves one task that goes out, the new one if it was accepted. Method: the
    /// request dies before and after every change, and so does the first sweep.
    @Test(arguments: StoreKind.allCases)
    func aSwapMayDieAtAnyStep(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            for (first, second) in kind == .memory ? Self.times : [Self.times[2]] {
                let steps = try await countSteps(fresh, first, second)
                #expect(steps > 12)
                for cut in 0...steps {
                    for sweepCut in stride(from: 0, through: steps, by: kind == .memory ? 1 : 5) {
                        try await dieAndSweep(try fresh(), first, second, cut: cut, sweepCut: sweepCut)
                    }
                }
            }
        }
    }

    private func dieAndSweep(
        _ fixture: SwapFixture, _ first: Duration, _ second: Duration, cut: Int, sweepCut: Int
    ) async throws {
        let (old, new) = (fixture.task(after: first), fixture.task(after: second))
        #expect(try await fixture.accept(old))
        let scissors = Scissors()
        scissors.cut(after: cut)
        let isAccepted = try await fixture.accept(new, scissors: scissors)
        let early = try await fixture.goingOut(of: [old, new])
        #expect(early.count <= 1, "\(cut)")
        if isAccepted { #expect(early == [new.id]) }
        fixture.letSwapsBecomeDue()
        scissors.cut(after: sweepCut)
        _ = try await fixture.sweepOnce(scissors)
        #expect(try await fixture.goingOut(of: [old, new]).count <= 1, "\(cut), \(sweepCut)")
        try await fixture.sweep()
        let going = try await fixture.goingOut(of: [old, new])
        #expect(going.count == 1, "cut after \(cut) and \(sweepCut) steps")
        if isAccepted { #expect(going == [new.id]) }
        if going == [new.id] {
            #expect(try await fixture.isReported(old), "\(cut), \(sweepCut)")
        } else {
            #expect(try await fixture.stores.archive.content(of: new.id) == nil, "\(cut)")
            let listed = try await fixture.stores.archive.scheduled(of: fixture.key.app, after: nil, limit: 9)
            #expect(!listed.contains { $0.task == new.id })
        }
    }

    /// Goal: two requests that run at the same time leave one task. Method: the second one runs as a whole before each
    /// call of the first one, which then goes on, or dies at any later step.
    @Test(arguments: StoreKind.allCases)
    func twoSwapsMayInterleave(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            for (first, second) in kind == .memory ? Self.times : [Self.times[3]] {
                try await interleave(fresh, kind: kind) { fixture, interruption, scissors in
                    let (old, new) = (fixture.task(after: first), fixture.task(after: second))
                    let other = fixture.task(after: first)
                    #expect(try await fixture.accept(old))
                    let run = interruption {
                        let isTaken = try await fixture.accept(other)
                        #expect(isTaken)
                    }
                    let isAccepted = try await fixture.accept(new, scissors: scissors, interruption: run)
                    let early = try await fixture.goingOut(of: [old, new, other])
                    #expect(early.count <= 1)
                    if isAccepted { #expect(early.count == 1 && early != [old.id]) }
                    try await fixture.sweep()
                    let going = try await fixture.goingOut(of: [old, new, other])
                    #expect(going.count == 1)
                    if run.hasHappened || isAccepted { #expect(going != [old.id]) }
                    for task in [old, new, other] where task.id != going.first {
                        #expect(try await fixture.isConcluded(task))
                    }
                    let pointer = try await fixture.stores.replacements.pointer(of: fixture.key)
                    #expect(pointer?.current == going.first && pointer?.cancelling == [])
                    return run.hasHappened
                }
            }
        }
    }

    /// The sweep comes while the request is still at work.
    @Test(arguments: StoreKind.allCases)
    func theSweepMayComeEarly(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            for (first, second) in kind == .memory ? Self.times : [Self.times[2]] {
                try await interleave(fresh, kind: kind) { fixture, interruption, scissors in
                    let (old, new) = (fixture.task(after: first), fixture.task(after: second))
                    #expect(try await fixture.accept(old))
                    let run = interruption {
                        fixture.letSwapsBecomeDue()
                        _ = try await fixture.sweepOnce()
                    }
                    let isAccepted = try await fixture.accept(new, scissors: scissors, interruption: run)
                    if isAccepted { #expect(try await fixture.goingOut(of: [old, new]) == [new.id]) }
                    try await fixture.sweep()
                    let going = try await fixture.goingOut(of: [old, new])
                    #expect(going.count == 1)
                    if isAccepted { #expect(going == [new.id]) }
                    return run.hasHappened
                }
            }
        }
    }

    /// The request is repeated under its idempotency key while the first one is still at work.
    @Test(arguments: StoreKind.allCases)
    func aRepeatMayInterleave(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            try await interleave(fresh, kind: kind) { fixture, interruption, scissors in
                let (old, new) = (fixture.task(after: Self.day), fixture.task(after: Self.day, isDerived: true))
                #expect(try await fixture.accept(old))
                let run = interruption {
                    let isTaken = try await fixture.accept(new)
                    #expect(isTaken)
                }
                let isAccepted = try await fixture.accept(new, scissors: scissors, interruption: run)
                if isAccepted { #expect(try await fixture.goingOut(of: [old, new]) == [new.id]) }
                try await fixture.sweep()
                let going = try await fixture.goingOut(of: [old, new])
                #expect(going.count == 1)
                if isAccepted || run.hasHappened { #expect(going == [new.id]) }
                return run.hasHappened
            }
        }
    }

    /// Goal: the late repeat of a request whose task was replaced sends nothing, also while it is replaced once more.
    @Test(arguments: StoreKind.allCases)
    func aLateRepeatOfAReplacedTaskHasNoEffect(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            for (first, second) in Self.times {
                let fixture = try fresh()
                let (old, new) = (fixture.task(after: first, isDerived: true), fixture.task(after: second))
                for task in [old, new, old] {
                    let isTaken = try await fixture.accept(task)
                    #expect(isTaken)
                }
                #expect(try await fixture.goingOut(of: [old, new]) == [new.id])
            }
            try await interleave(fresh, kind: kind) { fixture, interruption, scissors in
                let tasks = [true, false, false].map { fixture.task(after: Self.day, isDerived: $0) }
                for task in tasks.dropLast() {
                    let isTaken = try await fixture.accept(task)
                    #expect(isTaken)
                }
                let run = interruption {
                    let isTaken = try await fixture.accept(tasks[2])
                    #expect(isTaken)
                }
                #expect(try await fixture.accept(tasks[0], scissors: scissors, interruption: run) || scissors.hasCut)
                try await fixture.sweep()
                #expect(try await fixture.goingOut(of: tasks) == [tasks[run.hasHappened ? 2 : 1].id])
                return run.hasHappened
            }
        }
    }

    /// A request that died early and is repeated after another one was accepted is the last one, if it did not count
    /// before.
    @Test(arguments: StoreKind.allCases)
    func aRequestThatDiedMayBeRepeated(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            let steps = try await countSteps(fresh, Self.day, Self.day)
            for cut in 0...steps {
                for isSwept in [false, true] {
                    let fixture = try fresh()
                    let (old, new) = (fixture.task(after: Self.day, isDerived: true), fixture.task(after: Self.day))
                    let scissors = Scissors()
                    scissors.cut(after: cut)
                    try await fixture.accept(old, scissors: scissors)
                    let hasCounted = try await fixture.stores.replacements.pointer(of: fixture.key)?.current == old.id
                    if isSwept { try await fixture.sweep() }
                    #expect(try await fixture.accept(new))
                    #expect(try await fixture.accept(old))
                    #expect(try await fixture.goingOut(of: [old, new]) == [hasCounted ? new.id : old.id], "\(cut)")
                    try await fixture.sweep()
                    #expect(try await fixture.goingOut(of: [old, new]) == [hasCounted ? new.id : old.id], "\(cut)")
                }
            }
        }
    }

    /// Goal: a task that is released while it is replaced does not go out. Method: the release before each call of the
    /// swap, and the swap between the two steps of the release.
    @Test(arguments: StoreKind.allCases)
    func aReleaseMayInterleave(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            try await interleave(fresh, kind: kind) { fixture, interruption, scissors in
                let (old, new) = (fixture.task(after: Self.day), fixture.task())
                #expect(try await fixture.accept(old))
                let run = interruption { try await fixture.release(old) }
                let isAccepted = try await fixture.accept(new, scissors: scissors, interruption: run)
                try await fixture.sweep()
                try await fixture.release(old)
                let going = try await fixture.goingOut(of: [old, new])
                #expect(going.count == 1)
                if isAccepted { #expect(going == [new.id]) }
                return run.hasHappened
            }
            let fixture = try fresh()
            let (old, new) = (fixture.task(after: Self.day), fixture.task())
            #expect(try await fixture.accept(old))
            try await fixture.release(old) {
                let isTaken = try await fixture.accept(new)
                #expect(isTaken)
            }
            #expect(try await fixture.goingOut(of: [old, new]) == [new.id])
        }
    }

    /// A cancel of the task that counts leaves the pointer, before, during and after a swap.
    @Test(arguments: StoreKind.allCases)
    func aCancelledTaskIsReplaced(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            try await interleave(fresh, kind: kind) { fixture, interruption, scissors in
                let (old, new) = (fixture.task(after: Self.day), fixture.task(after: Self.day))
                #expect(try await fixture.accept(old))
                let segment = SegmentID(fixture.key.app, number: SegmentNumber(rawValue: 0))
                let run = interruption { _ = try await fixture.stores.ledger.cancel(old.id, in: segment) }
                let isAccepted = try await fixture.accept(new, scissors: scissors, interruption: run)
                try await fixture.sweep()
                let going = try await fixture.goingOut(of: [old, new])
                if isAccepted { #expect(going == [new.id]) }
                #expect(going.count == 1 || run.hasHappened)
                return run.hasHappened
            }
        }
    }

    /// Goal: many requests for one key at once leave one task, and no more than the bound of tasks to be cancelled.
    @Test(arguments: StoreKind.allCases)
    func manySwapsAtOnce(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            let fixture = try fresh()
            let tasks = (0..<40).map { fixture.task(after: $0 % 2 == 0 ? .zero : Self.day) }
            let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for task in tasks { group.addTask { try await fixture.accept(task) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(accepted > 0)
            #expect(try await fixture.goingOut(of: tasks).count == 1)
            try await fixture.sweep()
            let pointer = try #require(try await fixture.stores.replacements.pointer(of: fixture.key))
            #expect(try await fixture.goingOut(of: tasks) == [pointer.current])
            #expect(pointer.cancelling.isEmpty)
        }
    }

    /// Goal: requests that die before their cancels fill the pointer, and the next one empties it.
    @Test(arguments: StoreKind.allCases)
    func cancelsThatPileUpAreFinishedByTheNext(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            let fixture = try fresh()
            var tasks: [PushTask] = []
            for number in 0..<(ReplacementPointer.cancellingMaximum + 3) {
                tasks.append(fixture.task(after: Self.day))
                let scissors = Scissors()
                let isLast = number == ReplacementPointer.cancellingMaximum + 2
                // The pointer is set by the third change.
                let run = CutReplacements.Interruption(before: isLast ? .max : 4) { scissors.cut(after: 0) }
                try await fixture.accept(tasks[number], scissors: scissors, interruption: run)
                let pointer = try await fixture.stores.replacements.pointer(of: fixture.key)
                #expect(pointer?.cancelling.count ?? 0 <= ReplacementPointer.cancellingMaximum)
            }
            try await fixture.sweep()
            let pointer = try await fixture.stores.replacements.pointer(of: fixture.key)
            #expect(try await fixture.goingOut(of: tasks) == [pointer?.current])
            #expect(pointer?.cancelling == [])
        }
    }

    /// What was claimed before stays; nothing else of the replaced task is claimed afterwards.
    @Test(arguments: StoreKind.allCases)
    func aTaskThatIsSentIsCutShort(_ kind: StoreKind) async throws {
        try await kind.withSwaps { fresh in
            let fixture = try fresh()
            let (old, new) = (fixture.task(), fixture.task())
            #expect(try await fixture.accept(old))
            let ledger = fixture.stores.ledger
            let plan = Samples.plan(fixture.key.app, until: old.deadline, jobs: 3)
            _ = try await ledger.plan(old.id, as: plan)
            let segments = (0..<3).map { SegmentID(fixture.key.app, number: SegmentNumber(rawValue: $0)) }
            for segment in segments.prefix(2) {
                _ = try await ledger.mark(SegmentSet([1, 2]), of: old.id, in: segment)
            }
            func claim(_ offset: UInt16, in segment: SegmentID) async throws -> ClaimVerdict {
                let request = ClaimRequest(
                    id: ClaimID(owner: 1, number: UInt64(offset)), offsets: [offset], attempt: 0, lease: .seconds(60),
                    countsBadge: false)
                return try await ledger.claim(request, of: old.id, in: segment)
            }
            #expect(try await claim(1, in: segments[0]) == .answers([.claimed(badge: nil)]))
            #expect(try await fixture.accept(new))
            for (offset, segment) in [(2, segments[0]), (1, segments[1]), (2, segments[1])] {
                #expect(try await claim(UInt16(offset), in: segment) == .answers([.reported]))
            }
            #expect(try await ledger.mark(SegmentSet([1]), of: old.id, in: segments[2]) == .cancelled)
            let states = try await ledger.states(of: old.id, in: segments[0])?.states
            #expect(states == [1: .claimed, 2: .cancelled])
        }
    }

    /// Runs the body with an interruption before each call, and then with a cut at each step after it, until the
    /// interruption comes after the last call.
    private func interleave(
        _ fresh: () throws -> SwapFixture, kind: StoreKind,
        body: (
            _ fixture: SwapFixture,
            _ interruption: (@escaping @Sendable () async throws -> Void) -> CutReplacements.Interruption,
            _ scissors: Scissors
        ) async throws -> Bool
    ) async throws {
        for call in 0..<100 {
            var cut: Int?
            while true {
                let scissors = Scissors()
                scissors.cut(after: cut)
                let hasHappened = try await body(
                    try fresh(), { CutReplacements.Interruption(before: call, $0) }, scissors)
                if cut == nil, !hasHappened { return }
                if cut != nil, !scissors.hasCut { break }
                cut = cut.map { $0 + (kind == .memory ? 1 : 3) } ?? 0
            }
        }
        Issue.record("the calls never end")
    }

    private func countSteps(
        _ fresh: () throws -> SwapFixture, _ first: Duration, _ second: Duration
    ) async throws -> Int {
        let fixture = try fresh()
        try await fixture.accept(fixture.task(after: first))
        let scissors = Scissors()
        try await fixture.accept(fixture.task(after: second), scissors: scissors)
        return scissors.count
    }
}
