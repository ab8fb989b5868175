import Bus
import Topics

final class MemoryConsumer: BusConsumer {
    let member: MemoryBroker.Member
    private let broker: MemoryBroker
    private let options: ConsumerOptions
    var mailbox: Mailbox { member.mailbox }

    init(broker: MemoryBroker, options: ConsumerOptions) {
        self.broker = broker
        self.options = options
        member = MemoryBroker.Member(mailbox: Mailbox(options))
    }

    /// It joins when it is created.
    var hasJoined: Bool { true }

    func complete(_ delivery: Delivery) {
        mailbox.complete(delivery)
        broker.progress(options.channel)
    }

    func close() async {
        mailbox.stop()
        broker.leave(member, channel: options.channel, group: options.group)
    }
}
