import PushModel
package import ServiceKit
package import Store
import Synchronization
import Topics

/// Keeps the rates of tasks, groups and apps at the provider, together with all other senders.
///
/// The parts of chunks wait in one line for each combination of rates. A few of them at a time take slots, wait for
/// these and pass. The next ones take theirs only when those before them are sent: what was delayed after its slot, by
/// a full window or by this machine, does not pile up.
package final class PushPacer: Sendable {
    /// The pushes of a part are sent at once; small parts keep each second close to the rate.
    private static let partsPerSecond = 500
    /// Parts of a line that have taken slots and are not sent yet. They hide up to 16 milliseconds in which a part takes
    /// its slots and claims its devices. They are late together when the process stands still, and then are fewer than
    /// the pushes that the distance of the slots leaves free in a second. Lower rates have more time between slots.
    private static let partsAtOnceMaximum = 8
    private static let pushesPerPartAtOnce = 60

    private struct Waiter {
        let count: Int
        let rates: [PushRate]
        let continuation: CheckedContinuation<PacedTurn, any Error>
    }

    private struct Line {
        var waiters: [Lane: Queue<Waiter>] = [:]
        /// Pushes that wait.
        var count = 0
        /// Parts that take slots or have taken them.
        var passing = 0
    }

    private let pacing: any PushPacing
    private let time: any TimeSource
    private let lines = Mutex<[[PushRate]: Line]>([:])

    package init(_ pacing: any PushPacing, time: any TimeSource) {
        self.pacing = pacing
        self.time = time
    }

    private static func partsAtOnce(_ rates: [PushRate]) -> Int {
        let slowest = rates.map(\.perSecond).min() ?? 1
        return max(1, min(partsAtOnceMaximum, slowest / pushesPerPartAtOnce))
    }

    /// Pushes of a chunk that are sent at once.
    static func partMaximum(of rates: [PushRate]) -> Int {
        rates.map { max(1, $0.perSecond / partsPerSecond) }.min() ?? .max
    }

    /// Waits until these pushes may be sent; then `end` must be called when they are on their way, or put off. Nil if
    /// as many wait already as the slowest of the rates allows within seconds.
    func turn(of count: Int, at rates: [PushRate], lane: Lane) async throws -> PacedTurn? {
        guard let slowest = rates.map(\.perSecond).min() else { return nil }
        let countMaximum = slowest * Int(PacingBounds.takenAhead.components.seconds)
        let isFull = lines.withLock { lines in
            let waiting = lines[rates]?.count ?? 0
            guard waiting == 0 || waiting + count <= countMaximum else { return true }
            lines[rates, default: Line()].count += count
            return false
        }
        guard !isFull else { return nil }
        return try await withCheckedThrowingContinuation { continuation in
            let waiter = Waiter(count: count, rates: rates, continuation: continuation)
            lines.withLock { $0[rates]?.waiters[lane, default: Queue()].append(waiter) }
            advance(rates)
        }
    }

    /// Lets the next part take its slots, if it may.
    private func advance(_ rates: [PushRate]) {
        let next = lines.withLock { lines -> Waiter? in
            guard let line = lines[rates], line.passing < PushPacer.partsAtOnce(rates) else { return nil }
            for lane in [Lane.fast, .bulk] {
                guard let waiter = lines[rates]?.waiters[lane]?.popFirst() else { continue }
                lines[rates]?.passing += 1
                return waiter
            }
            if line.passing == 0, line.count == 0 { lines[rates] = nil }
            return nil
        }
        if let next { Task { await pass(next) } }
    }

    private func pass(_ waiter: Waiter) async {
        let result: Result<PacedTurn, any Error>
        do {
            for rate in waiter.rates { try await waitForSlots(waiter.count, of: rate) }
            result = .success(PacedTurn { [self] in leave(waiter.rates) })
        } catch {
            result = .failure(error)
        }
        lines.withLock { $0[waiter.rates]?.count -= waiter.count }
        waiter.continuation.resume(with: result)
        if case .failure = result { leave(waiter.rates) }
    }

    private func waitForSlots(_ count: Int, of rate: PushRate) async throws {
        var left = count
        while left > 0 {
            let taken = try await pacing.take(left, at: rate)
            left -= taken.count
            if taken.wait > .zero { try await time.sleep(for: taken.wait) }
        }
    }

    private func leave(_ rates: [PushRate]) {
        lines.withLock { $0[rates]?.passing -= 1 }
        advance(rates)
    }
}

/// The right of some pushes to be sent now.
final class PacedTurn: Sendable {
    private let onEnd: Mutex<(@Sendable () -> Void)?>

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = Mutex(onEnd)
    }

    /// Lets the next pushes follow; may be called again.
    func end() {
        onEnd.withLock { $0.take() }?()
    }
}
