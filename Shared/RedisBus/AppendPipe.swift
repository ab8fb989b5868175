import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// Carries out what an `AppendQueue` decides, for one partition.
final class AppendPipe: Sendable {
    private let partition: PartitionID
    private let channel: Channel
    private let shared: RedisBusShared
    private let queue = Mutex(AppendQueue())
    private let backoff = Backoff(first: .milliseconds(5), longest: .milliseconds(500))
    /// Refusals since the last success.
    private let refusals = Atomic<Int>(0)

    init(partition: PartitionID, channel: Channel, shared: RedisBusShared) {
        self.partition = partition
        self.channel = channel
        self.shared = shared
    }

    func add(_ parcel: AppendQueue.Parcel) {
        let (isAdded, batch) = queue.withLock { queue in (queue.add(parcel), queue.next()) }
        if !isAdded {
            parcel.ticket.settlePart(BusError(.full, "too much is waiting to be sent to \(partition)"))
        }
        if let batch { append(batch) }
    }

    private var isForward: Bool { channel.declaration.admission == .forward }

    private func append(_ batch: AppendQueue.Batch) {
        if isForward && shared.memory.isCrowded {
            return settle(.refused(BusError(.full, "Redis uses more of its memory than forward producers may fill")))
        }
        let isLog = channel.declaration.kind == .log
        let bound = isForward ? shared.bytesMaximum(of: channel, shared.configuration.channelBytesMaximum) : 0
        let keep = isLog ? shared.bytesMaximum(of: channel, shared.configuration.logBytesMaximum) : 0
        shared.client.submit(
            isForward ? RedisBusScripts.appendForward : RedisBusScripts.appendDraining,
            keys: [RedisBusKeys.state(partition), RedisBusKeys.log(partition)],
            arguments: [
                RedisArgument(batch.count), RedisArgument(batch.bytes), RedisArgument(bound),
                RedisArgument(MessageBatch.entry(count: batch.count, frames: batch.frames)),
                RedisArgument(shared.time.now.milliseconds), RedisArgument(keep),
                RedisArgument(channel.declaration.ageMaximum.wholeMilliseconds),
            ]
        ) { [self] result in settle(AppendPipe.outcome(of: result, partition)) }
    }

    private static func outcome(of result: Result<RedisValue, RedisError>, _ partition: PartitionID)
        -> AppendQueue.Outcome
    {
        switch result {
        case .success(.integer(let next)) where next >= 0: .appended
        case .success(.integer): .refused(BusError(.full, "\(partition) is at its bound"))
        case .success(let value): .failed(BusError(.refused, "unexpected answer to an append: \(value)"))
        case .failure(let error) where error.code == .reply("OOM"):
            .refused(BusError(.full, "Redis is at its maxmemory"))
        case .failure(let error) where error.code == .closed: .failed(BusError(.closed, "the bus is closed"))
        // Whether the last attempt was carried out does not matter: a repeat is allowed, a loss is not.
        case .failure(let error): .refused(BusError(.unavailable, "Redis did not take an append: \(error)"))
        }
    }

    private func settle(_ outcome: AppendQueue.Outcome) {
        let (settled, hasMore) = queue.withLock { queue in
            (queue.settle(outcome, now: shared.time.uptime), !queue.isEmpty)
        }
        for (parcel, error) in settled { parcel.ticket.settlePart(error) }
        if case .refused = outcome {
            let count = refusals.wrappingAdd(1, ordering: .relaxed).newValue
            if isForward { shared.meters.waits(channel.name).increment() }
            if hasMore { retry(afterRefusal: count) }
        } else {
            refusals.store(0, ordering: .relaxed)
            goOn()
        }
    }

    private func retry(afterRefusal count: Int) {
        let delay = backoff.delay(afterAttempt: count, random: shared.random)
        Task {
            try? await shared.time.sleep(for: delay)
            goOn()
        }
    }

    private func goOn() {
        if let batch = queue.withLock({ $0.next() }) { append(batch) }
    }
}
