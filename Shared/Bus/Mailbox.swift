import ServiceKit

/// The inbox of one consumer, shared between the thread that fetches and the tasks that work.
///
/// The fetching thread may block here (until work in flight is done, until there is room); tasks never do.
package final class Mailbox: Sendable {
    private struct State {
        var inbox: Inbox
        var takers = Queue<CheckedContinuation<Delivery?, Never>>()
        var isStopped = false
    }

    private let state: Monitor<State>

    package init(_ options: ConsumerOptions) {
        state = Monitor(State(inbox: Inbox(options)))
    }

    package func next() async -> Delivery? {
        await withCheckedContinuation { continuation in
            let immediate: Delivery?? = state.withLock { state in
                if state.isStopped { return .some(nil) }
                if let delivery = state.inbox.take() { return .some(delivery) }
                state.takers.append(continuation)
                return nil
            }
            if let immediate { continuation.resume(returning: immediate) }
        }
    }

    package func complete(_ delivery: Delivery) {
        change { $0.complete(delivery) }
    }

    package func isCurrent(_ delivery: Delivery) -> Bool {
        state.withLock { $0.inbox.isCurrent(delivery) }
    }

    /// Everyone who waits for a delivery, now or later, gets nil.
    package func stop() {
        let takers = state.change { state in
            state.isStopped = true
            defer { state.takers = Queue() }
            return state.takers
        }
        takers.resumeAll(returning: nil)
    }

    /// Changes the inbox and hands out what has become deliverable.
    @discardableResult
    package func change<Result>(_ body: (inout Inbox) -> Result) -> Result {
        var handOuts: [(CheckedContinuation<Delivery?, Never>, Delivery)] = []
        let result = state.change { state in
            let result = body(&state.inbox)
            while !state.takers.isEmpty, let delivery = state.inbox.take(), let taker = state.takers.popFirst() {
                handOuts.append((taker, delivery))
            }
            return result
        }
        for (taker, delivery) in handOuts { taker.resume(returning: delivery) }
        return result
    }

    package func read<Result>(_ body: (Inbox) -> Result) -> Result {
        state.withLock { body($0.inbox) }
    }

    /// Blocks the calling native thread until the inbox fulfils a condition; false when the time is over first.
    package func wait(timeout: Duration, until isFulfilled: (Inbox) -> Bool) -> Bool {
        state.wait(timeout: timeout) { isFulfilled($0.inbox) ? true : nil } ?? false
    }

    /// Hands partitions over: nothing more is delivered from them, and the work in flight gets until the deadline.
    /// Returns how far each is done. Blocks the calling native thread.
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

extension Queue where Element == CheckedContinuation<Delivery?, Never> {
    fileprivate func resumeAll(returning delivery: Delivery?) {
        var rest = self
        while let taker = rest.popFirst() { taker.resume(returning: delivery) }
    }
}
