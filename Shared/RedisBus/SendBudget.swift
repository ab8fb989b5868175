import Bus
import Synchronization

/// The budget of bytes in flight to Redis, over all producers of a bus. Senders wait in line while it is used up.
final class SendBudget: Sendable {
    private struct Waiter {
        let number: Int
        let bytes: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var used = 0
        var waiters: [Waiter] = []
        var numbers = 0
    }

    private let bytesMaximum: Int
    private let watch: DeadlineWatch
    private let state = Mutex(State())

    init(bytesMaximum: Int, watch: DeadlineWatch) {
        self.bytesMaximum = bytesMaximum
        self.watch = watch
    }

    /// A send larger than the whole budget is admitted alone.
    func take(_ bytes: Int, until deadline: Duration) async throws(BusError) {
        let isAtOnce = state.withLock { state in
            let isFree = state.waiters.isEmpty && (state.used == 0 || state.used + bytes <= bytesMaximum)
            if isFree { state.used += bytes }
            return isFree
        }
        if isAtOnce { return }
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        var expiry: Int?
        let isGranted = await withCheckedContinuation { continuation in
            state.withLock { $0.waiters.append(Waiter(number: number, bytes: bytes, continuation: continuation)) }
            admit()
            expiry = watch.add(deadline) { [weak self] in self?.giveUp(number) }
        }
        if let expiry { watch.remove(expiry) }
        guard isGranted else {
            throw BusError(.full, message: "too many bytes in flight to Redis (CARILLON_BUS_SEND_BYTES)")
        }
    }

    func giveBack(_ bytes: Int) {
        state.withLock { $0.used -= bytes }
        admit()
    }

    private func admit() {
        let admitted = state.withLock { state in
            var admitted: [Waiter] = []
            while let first = state.waiters.first, state.used == 0 || state.used + first.bytes <= bytesMaximum {
                state.used += first.bytes
                admitted.append(state.waiters.removeFirst())
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }
}
