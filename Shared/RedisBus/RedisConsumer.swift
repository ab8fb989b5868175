import Bus
import RedisClient
import ServiceKit
import Synchronization
import Topics

/// One member of a group. Two native threads serve it, so that neither handlers nor a slow read delay its heartbeat:
/// the keeper renews leases and records progress, the reader fetches.
final class RedisConsumer: BusConsumer {
    let mailbox: Mailbox
    /// Reads block, so they have a connection of their own.
    private let reading: RedisClient
    private let tenures = Monitor(RedisTenures())
    private let isClosing = Atomic<Bool>(false)
    private let joined = OneTimeEvent()
    private let keeperEnded = OneTimeEvent()
    private let readerEnded = OneTimeEvent()

    init(shared: RedisBusShared, options: ConsumerOptions, partitionCount: Int, reading: RedisClient, health: Health) {
        self.reading = reading
        mailbox = Mailbox(options)
        let member = shared.random.hexadecimal()
        let keeper = RedisKeeper(
            shared: shared, options: options, member: member, partitionCount: partitionCount, mailbox: mailbox,
            tenures: tenures, joined: joined,
            pulse: health.pulse("leases of \(options.group) on \(options.channel.name)", limit: .seconds(30)))
        let reader = RedisReader(
            shared: shared, options: options, client: reading, mailbox: mailbox, tenures: tenures,
            pulse: health.pulse("reader of \(options.group) on \(options.channel.name)", limit: .seconds(30)))
        // The threads hold this consumer until `close`, which every owner must call.
        NativeThread(name: "bus-keeper") { [self] in
            keeper.run { isClosing.load(ordering: .acquiring) }
            keeperEnded.happen()
        }.detach()
        NativeThread(name: "bus-reader") { [self] in
            reader.run { isClosing.load(ordering: .acquiring) }
            readerEnded.happen()
        }.detach()
    }

    var assignedPartitions: Int { tenures.withLock { $0.held.count } }

    var hasJoined: Bool { joined.hasHappened }

    func close() async {
        mailbox.stop()
        isClosing.store(true, ordering: .releasing)
        // Wakes both threads from their waits.
        mailbox.change { _ in }
        tenures.change { _ in }
        // Ends a read that waits for messages.
        await reading.close(within: .zero)
        await keeperEnded.wait()
        await readerEnded.wait()
        await reading.close()
    }
}
