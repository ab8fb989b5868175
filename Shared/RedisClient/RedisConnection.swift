import ServiceKit
import Synchronization

/// One connection and its thread. The thread ends when this object goes, if it was not closed before.
final class RedisConnection: Sendable {
    let channel: RedisChannel
    private let ending = RedisEnding()

    init(_ seat: RedisSeat) {
        let channel = RedisChannel(costMaximum: seat.configuration.outstandingBytesMaximum)
        self.channel = channel
        // The thread holds the channel and not this object, whose end is what stops it.
        NativeThread(name: "redis-\(seat.address.port)") { [ending] in
            RedisConnectionDriver(seat, channel).run()
            ending.announce()
        }.detach()
    }

    deinit {
        channel.close(aborting: true)
    }

    /// Answers what was submitted, within the deadlines of the commands and `limit` at most, then ends the thread.
    func close(within limit: Duration, time: any TimeSource) async {
        channel.close(aborting: false)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [ending] in
                await ending.wait()
                return true
            }
            group.addTask { [channel] in
                try? await time.sleep(for: limit)
                channel.close(aborting: true)
                return false
            }
            while await group.next() == false {}
            group.cancelAll()
        }
    }
}

/// Lets tasks wait for the end of a thread.
final class RedisEnding: Sendable {
    private enum State {
        case running([CheckedContinuation<Void, Never>])
        case over
    }

    private let state = Mutex(State.running([]))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard case .running(let waiting) = state else { return true }
                state = .running(waiting + [continuation])
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    func announce() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .running(let waiting) = state else { return [] }
            state = .over
            return waiting
        }
        waiting.forEach { $0.resume() }
    }
}
