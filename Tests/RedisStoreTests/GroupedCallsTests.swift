import ServiceKit
import Store
import Synchronization
import Testing

@testable import RedisStore

@Suite(.timeLimit(.minutes(1))) struct GroupedCallsTests {
    private static let itemsMaximum = 16

    /// What the performed calls were.
    private final class Record: Sendable {
        private struct State {
            var calls: [[Int]] = []
            var started = 0
            var inProgress = 0
            var concurrentMaximum = 0
        }

        private let state = Mutex(State())
        private let itemCount: Int
        let allStarted = OneTimeEvent()

        init(itemCount: Int) {
            self.itemCount = itemCount
        }

        var calls: [[Int]] { state.withLock { $0.calls } }
        var concurrentMaximum: Int { state.withLock { $0.concurrentMaximum } }

        func start() {
            let isLast = state.withLock { state in
                state.started += 1
                return state.started == itemCount
            }
            if isLast { allStarted.happen() }
        }

        /// Even items succeed with their square, odd ones fail.
        func perform(_ items: [Int]) async -> [Result<Int, StoreError>] {
            state.withLock { state in
                state.calls.append(items)
                state.inProgress += 1
                state.concurrentMaximum = max(state.concurrentMaximum, state.inProgress)
            }
            await allStarted.wait()
            state.withLock { $0.inProgress -= 1 }
            return items.map { item in
                item.isMultiple(of: 2) ? .success(item * item) : .failure(StoreError(.corrupt, message: "\(item)"))
            }
        }
    }

    @Test func oneCallPerformsThoseThatCameMeanwhile() async throws {
        let count = 500
        let record = Record(itemCount: count)
        let grouped = GroupedCalls<Int, Int>(itemsMaximum: Self.itemsMaximum)
        await withTaskGroup(of: Void.self) { group in
            for item in 0..<count {
                group.addTask {
                    record.start()
                    do throws(StoreError) {
                        let answer = try await grouped.call(item) { await record.perform($0) }
                        #expect(item.isMultiple(of: 2) && answer == item * item)
                    } catch {
                        #expect(!item.isMultiple(of: 2) && error.message == "\(item)")
                    }
                }
            }
        }
        let calls = record.calls
        #expect(calls.joined().sorted() == Array(0..<count))
        #expect(calls.allSatisfy { $0.count <= Self.itemsMaximum })
        #expect(record.concurrentMaximum == 1)
        // All but the first items came while a call was in progress.
        #expect(calls.count < count / 2)
    }

    @Test func callsOneAfterAnotherAreNotDelayed() async throws {
        let record = Record(itemCount: 1)
        record.start()
        let grouped = GroupedCalls<Int, Int>()
        for item in [2, 4, 6] {
            #expect(try await grouped.call(item) { await record.perform($0) } == item * item)
        }
        #expect(record.calls == [[2], [4], [6]])
    }
}
