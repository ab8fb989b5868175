import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Simulation

/// One suite for every store: pointers, swaps and staged contents.
@Suite(.timeLimit(.minutes(5))) struct TaskReplacementsTests {
    private static let tasks = (0..<4).map { TaskID(high: 0x4000, low: $0) }

    private func with(
        _ kind: StoreKind,
        _ body: (_ store: any TaskReplacements, _ fixture: StoreFixture) async throws -> Void
    ) async throws {
        // Redis expires keys by its own clock.
        try await kind.withFixture(.own, time: ManualTimeSource(now: SystemTimeSource().now)) { fixture in
            let store: any TaskReplacements = try fixture.store(
                memory: { MemoryTaskReplacements(time: $0) }, redis: { RedisTaskReplacements($0, time: $1) },
                simulated: { SimulatedTaskReplacements(base: MemoryTaskReplacements(time: $0), seam: $1) })
            try await body(store, fixture)
        }
    }

    /// Keys with braces and colons are keys of their own, wherever the cluster puts them.
    @Test(arguments: StoreKind.allCases)
    func aPointerIsSetOnlyIfItIsUnchanged(_ kind: StoreKind) async throws {
        try await with(kind) { store, fixture in
            let end = fixture.time.now + .seconds(600)
            for text in ["order-4711", "{a}b", "{", "}", ":", "a:b", "{}", String(repeating: "~", count: 64)] {
                let key = try ReplacementKey(text, of: fixture.app)
                #expect(try await store.pointer(of: key) == nil)
                let first = ReplacementPointer().replaced(by: Self.tasks[0], until: end)
                #expect(try await store.set(first, of: key))
                #expect(try await store.set(first, of: key) == false)
                let known = try #require(try await store.pointer(of: key))
                #expect(known == ReplacementPointer(generation: 1, current: Self.tasks[0], end: end))
                #expect(try await store.set(known.replaced(by: Self.tasks[1], until: end), of: key))
                #expect(try await store.set(known.replaced(by: Self.tasks[2], until: end), of: key) == false)
                let last = try #require(try await store.pointer(of: key))
                #expect(last.current == Self.tasks[1] && last.cancelling == [Self.tasks[0]] && last.generation == 2)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func ofManyThatSetAPointerOneSucceeds(_ kind: StoreKind) async throws {
        try await with(kind) { store, fixture in
            let key = try ReplacementKey("k", of: fixture.app)
            let end = fixture.time.now + .seconds(600)
            for round in 0..<5 {
                let pointer = try await store.pointer(of: key) ?? ReplacementPointer()
                let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<8 {
                        let task = TaskID(high: UInt64(round), low: UInt64(number))
                        group.addTask { try await store.set(pointer.replaced(by: task, until: end), of: key) }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(won == 1)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPointerExpiresAtItsEnd(_ kind: StoreKind) async throws {
        try await with(kind) { store, fixture in
            let key = try ReplacementKey("k", of: fixture.app)
            let past = fixture.time.now + .seconds(-1)
            _ = try await store.set(ReplacementPointer().replaced(by: Self.tasks[0], until: past), of: key)
            #expect(try await store.pointer(of: key) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func contentIsStagedAndTheFirstSuccessorCounts(_ kind: StoreKind) async throws {
        try await with(kind) { store, _ in
            #expect(try await store.staged(Self.tasks[0]) == nil)
            try await store.stage([1], of: Self.tasks[0], for: .seconds(60))
            try await store.stage([2, 3], of: Self.tasks[0], for: .seconds(60))
            try await store.unstage(Self.tasks[0], after: .seconds(30))
            #expect(try await store.staged(Self.tasks[0]) == [2, 3])
            try await store.unstage(Self.tasks[0], after: .zero)
            #expect(try await store.staged(Self.tasks[0]) == nil)
            #expect(try await store.successor(of: Self.tasks[0]) == nil)
            try await store.note(Self.tasks[0], replacedBy: Self.tasks[1])
            try await store.note(Self.tasks[0], replacedBy: Self.tasks[2])
            #expect(try await store.successor(of: Self.tasks[0]) == Self.tasks[1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSwapIsLeasedUntilItIsFinished(_ kind: StoreKind) async throws {
        try await with(kind) { store, fixture in
            let keys = try ["{a}b", "b/c"].map { try ReplacementKey($0, of: fixture.app) }
            let swaps = [TaskSwap(Self.tasks[0], key: keys[0]), TaskSwap(Self.tasks[1], key: keys[1])]
            for (swap, pause) in zip(swaps, [20, 10]) {
                try await store.enter(swap, due: fixture.time.now + .seconds(pause))
            }
            #expect(try await store.take(upTo: 9, for: .seconds(60)).isEmpty)
            fixture.time.advance(by: .seconds(20))
            let first = try await store.take(upTo: 1, for: .seconds(60))
            #expect(first == [SwapLease(swaps[1], until: fixture.time.now + .seconds(60))])
            #expect(try await store.take(upTo: 9, for: .seconds(60)).map(\.swap) == [swaps[0]])
            #expect(try await store.take(upTo: 9, for: .seconds(60)).isEmpty)
            // Entered again by a request: the holder of the lease must not remove it.
            try await store.enter(swaps[1], due: fixture.time.now + .seconds(30))
            try await store.finish(first[0])
            try await store.remove(swaps[0])
            fixture.time.advance(by: .seconds(61))
            let again = try await store.take(upTo: 9, for: .seconds(60))
            #expect(again.map(\.swap) == [swaps[1]])
            try await store.finish(again[0])
            fixture.time.advance(by: .seconds(61))
            #expect(try await store.take(upTo: 9, for: .seconds(60)).isEmpty)
        }
    }
}
