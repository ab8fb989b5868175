import Bus
import Topics

final class MemoryConsumer: BusConsumer {
    let member: MemoryBroker.Member
    private let broker: MemoryBroker
    private let options: ConsumerOptions
    private var mailbox: Mailbox { member.mailbox }

    init(broker: MemoryBroker, options: ConsumerOptions) {
        self.broker = broker
        self.options = options
        member = MemoryBroker.Member(mailbox: Mailbox(options))
    }

    func next() async throws(BusError) -> Delivery? {
        await mailbox.next()
    }

    func complete(_ delivery: Delivery) {
        mailbox.complete(delivery)
        broker.progress(options.channel)
    }

    func isCurrent(_ delivery: Delivery) -> Bool {
        mailbox.isCurrent(delivery)
    }

    var assignedPartitions: Int { mailbox.read { $0.assigned.count } }
    var bufferedBytes: Int { mailbox.read { $0.bufferedBytes } }

    func stopTaking() {
        mailbox.stop()
    }

    func close() async {
        mailbox.stop()
        broker.leave(member, options.channel, group: options.group)
    }
}
