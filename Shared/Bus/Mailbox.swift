import ServiceKit

/// The inbox of one consumer, shared between the fetching thread and the worker tasks.
///
/// The fetching thread may block here (for work in flight or for room); tasks never do.
package final class Mailbox: Sendable {
    /// At most one for each worker.
    private struct Taker {
        let number: Int
        let continuation: CheckedContinuation<Delivery?, Never>
    }

    private struct State {
        var inbox: Inbox
        var takers: [Taker] = []
        var numbers = 0
        var isStopped = false
    }

    private let state: Monitor<State>

    package init(_ options: ConsumerOptions) {
        state = Monitor(State(inbox: Inbox(options)))
    }

    /// Nil once the mailbox is stopped or the task is cancelled.
    package func next() async -> Delivery? {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate: Delivery?? = state.withLock { state in
                    // A task is marked as cancelled before its handler runs, so one of the two sees the other.
                    if state.isStopped || Task.isCancelled { return .some(nil) }
                    if let delivery = state.inbox.take() { return .some(delivery) }
                    state.takers.append(Taker(number: number, continuation: continuation))
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            let taker = state.withLock { state in
                state.takers.firstIndex { $0.number == number }.map { state.takers.remove(at: $0) }
            }
            taker?.continuation.resume(returning: nil)
        }
    }

    package func complete(_ delivery: Delivery) {
        change { $0.complete(delivery) }
    }

    package func isCurrent(_ delivery: Delivery) -> Bool {
        state.withLock { $0.inbox.isCurrent(delivery) }
    }

    /// Every current and future wait for a delivery returns nil.
    package func stop() {
        let takers = state.change { state in
            state.isStopped = true
            defer { state.takers = [] }
            return state.takers
        }
        for taker in takers { taker.continuation.resume(returning: nil) }
    }

    /// Changes the inbox and hands out the deliveries that this made possible.
    @discardableResult
    package func change<Result>(_ body: (inout Inbox) -> Result) -> Result {
        var handOuts: [(Taker, Delivery)] = []
        let result = state.change { state in
            let result = body(&state.inbox)
            while !state.takers.isEmpty, let delivery = state.inbox.take() {
                handOuts.append((state.takers.removeFirst(), delivery))
            }
            return result
        }
        for (taker, delivery) in handOuts { taker.continuation.resume(returning: delivery) }
        return result
    }

    package func read<Result>(_ body: (Inbox) -> Result) -> Result {
        state.withLock { body($0.inbox) }
    }

    /// Blocks the calling native thread until the inbox meets a condition; false on timeout.
    package func wait(timeout: Duration, until isFulfilled: (inout Inbox) -> Bool) -> Bool {
        state.wait(timeout: timeout) { isFulfilled(&$0.inbox) ? true : nil } ?? false
    }

    /// Stops deliveries from partitions and waits for their work in flight until the deadline. Returns their
    /// watermarks. Blocks the calling native thread.
    package func drain(_ partitions: [PartitionID], within deadline: Duration) -> [PartitionID: Int64] {
        change { inbox in partitions.forEach { inbox.beginLeaving($0) } }
        _ = wait(timeout: deadline) { inbox in !partitions.contains { inbox.hasFlights($0) } }
        return read { inbox in
            var done: [PartitionID: Int64] = [:]
            for partition in partitions { done[partition] = inbox.watermark(of: partition) }
            return done
        }
    }
}
