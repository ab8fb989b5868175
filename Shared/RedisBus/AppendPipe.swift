import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// Performs the actions of an `AppendQueue`, for one partition.
final class AppendPipe: Sendable {
    private let partition: PartitionID
    private let channel: Channel
    private let shared: RedisBusShared
    private let client: RedisClient
    private let meters: ChannelMeters
    private let queue = Mutex(AppendQueue())
    private let backoff = Backoff(first: .milliseconds(5), longest: .milliseconds(500))
    private let refusals = Mutex<(count: Int, last: BusError?)>((0, nil))

    init(partition: PartitionID, channel: Channel, shared: RedisBusShared, client: RedisClient) {
        self.partition = partition
        self.channel = channel
        self.shared = shared
        self.client = client
        meters = shared.meters.channel(channel.name)
    }

    func add(_ parcel: AppendQueue.Parcel) {
        let batch = queue.withLock { queue in
            queue.add(parcel)
            return queue.next(now: shared.time.uptime)
        }
        if let batch { append(batch) }
    }

    /// Why the last append was refused; nil if it succeeded.
    var lastRefusal: BusError? { refusals.withLock { $0.last } }

    private var isForward: Bool { channel.declaration.admission == .forward }

    private var isCrowded: Bool {
        let stage = channel.declaration.stage
        return shared.memory.percentUsed >= stage.percent(accepting: shared.configuration.memoryPercentMaximum)
    }

    private func append(_ batch: AppendQueue.Batch) {
        if isForward && isCrowded {
            return settle(
                .refused(
                    BusError(.full, message: "Redis memory use is above the limit for producers of \(channel.name)")
                ))
        }
        let bound = isForward ? shared.bytesMaximum(of: channel, shared.configuration.channelBytesMaximum) : 0
        let (keep, age) = kept
        client.submit(
            isForward ? RedisBusScripts.appendForward : RedisBusScripts.appendDraining,
            keys: [RedisBusKeys.state(partition), RedisBusKeys.log(partition)],
            arguments: [
                RedisArgument(batch.count), RedisArgument(batch.bytes), RedisArgument(bound),
                RedisArgument(MessageBatch.entry(count: batch.count, frames: batch.frames)),
                RedisArgument(shared.time.now.milliseconds), RedisArgument(keep), RedisArgument(age.wholeMilliseconds),
                RedisArgument(channel.declaration.kind.rawValue),
            ]
        ) { [self] result in settle(AppendPipe.outcome(of: result, partition)) }
    }

    /// How much to keep of a log and of handled messages of kept work. Other work is removed when it is handled, and
    /// compacted topics stay whole (0 bytes: all).
    private var kept: (bytes: Int, age: Duration) {
        guard channel.declaration.kind != .work else { return (0, .zero) }
        let bytes = shared.bytesMaximum(of: channel, shared.configuration.logBytesMaximum)
        return switch channel.declaration.cleanup {
        case .age(let days): (bytes, .seconds(days * 86_400))
        case .brief: (bytes, shared.configuration.briefAge)
        case .compaction: (0, .zero)
        }
    }

    private static func outcome(
        of result: Result<RedisValue, RedisError>, _ partition: PartitionID
    ) -> AppendQueue.Outcome {
        switch result {
        case .success(.integer(let next)) where next >= 0: .appended(next: Int64(next))
        case .success(.integer): .refused(BusError(.full, message: "\(partition) is at its bound"))
        case .success(let value): .failed(BusError(.refused, message: "unexpected reply to an append: \(value)"))
        case .failure(let error) where error.code == .reply("OOM"):
            .refused(BusError(.full, message: "Redis is at its maxmemory"))
        case .failure(let error) where error.code == .closed: .failed(BusError(.closed, message: "the bus is closed"))
        // Whether the last attempt was executed does not matter: a duplicate is allowed, a loss is not.
        case .failure(let error): .refused(BusError(.unavailable, message: "append to Redis failed: \(error)"))
        }
    }

    private func settle(_ outcome: AppendQueue.Outcome) {
        let settled = queue.withLock { $0.settle(outcome) }
        switch outcome {
        case .refused(let error):
            let count = refusals.withLock { refusals in
                refusals = (refusals.count + 1, error)
                return refusals.count
            }
            if error.code == .full { meters.waits.increment() }
            return rest(afterRefusal: count)
        case .appended(let next):
            refusals.withLock { $0 = (0, nil) }
            var first = next - Int64(settled.reduce(0) { $0 + $1.count })
            for parcel in settled {
                meters.messages.increment(by: parcel.count)
                meters.bytes.increment(by: parcel.valueBytes)
                parcel.ticket.settle(part: parcel.part, at: first)
                first += Int64(parcel.count)
            }
        case .failed(let error):
            for parcel in settled { parcel.ticket.fail(error) }
        }
        goOn()
    }

    private func rest(afterRefusal count: Int) {
        let delay = backoff.delay(afterAttempt: count, random: shared.random)
        Task {
            try? await shared.time.sleep(for: delay)
            queue.withLock { $0.endRest() }
            goOn()
        }
    }

    private func goOn() {
        if let batch = queue.withLock({ $0.next(now: shared.time.uptime) }) { append(batch) }
    }
}
