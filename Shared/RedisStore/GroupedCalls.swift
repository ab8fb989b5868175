import Store
import Synchronization

/// Joins items that come while a call is in progress into the next one, so that many tasks together need few calls.
///
/// A call begins after each of its items has come. It is performed by the caller of its first item.
final class GroupedCalls<Item: Sendable, Answer: Sendable>: Sendable {
    /// An item fails or succeeds on its own.
    typealias Answers = [Result<Answer, StoreError>]

    private enum Turn: Sendable {
        case answer(Result<Answer, StoreError>)
        /// The caller performs the call of these items, of which its own is the first.
        case perform([Waiting])
    }

    private struct Waiting: Sendable {
        let item: Item
        let resume: @Sendable (Turn) -> Void
    }

    private struct State {
        var isBusy = false
        var waiting: [Waiting] = []
    }

    private let itemsMaximum: Int
    private let state = Mutex(State())

    init(itemsMaximum: Int = 64) {
        self.itemsMaximum = itemsMaximum
    }

    /// `perform` is the same for all items, and returns an answer for each.
    func call(_ item: Item, perform: ([Item]) async -> Answers) async throws(StoreError) -> Answer {
        switch await turn(of: item) {
        case .answer(let answer): return try answer.get()
        case .perform(let others):
            let answers = await perform([item] + others.map(\.item))
            passOn()
            for (other, answer) in zip(others, answers.dropFirst()) { other.resume(.answer(answer)) }
            return try answers[0].get()
        }
    }

    private func turn(of item: Item) async -> Turn {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                state.waiting.append(Waiting(item: item) { continuation.resume(returning: $0) })
                return false
            }
            if isFree { continuation.resume(returning: .perform([])) }
        }
    }

    /// The first of those who wait performs the next call.
    private func passOn() {
        let next = state.withLock { state -> [Waiting] in
            let next = Array(state.waiting.prefix(itemsMaximum))
            state.waiting.removeFirst(next.count)
            state.isBusy = !next.isEmpty
            return next
        }
        next.first?.resume(.perform(Array(next.dropFirst())))
    }
}
