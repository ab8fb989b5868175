package import ServiceKit
package import Topics

/// A stage's work: messages in, messages out. A plain value whose dependencies are protocols, so that a test or the
/// simulation needs neither broker nor clock.
package protocol MessageHandler: Sendable {
    associatedtype Message: TopicMessage

    /// Called with messages of one partition, in order. What it returns is made durable before they count as done. It may
    /// see the same messages again, after an error, a restart or a hand-over.
    ///
    /// Throw `PoisonMessageError` where no retry can help, a `RetriableError` where something the work needs is away; any other
    /// error is tried a few times.
    func handle(_ messages: [ReceivedMessage<Message>], context: HandlerContext) async throws -> [OutgoingMessage]

    /// A message that cannot be handled is about to go to `dead`, be it that its bytes cannot be read. It may be told of the
    /// same message again. A `RetriableError` has the message wait; any other error is logged.
    func giveUp(_ letter: DeadLetter) async throws
}

extension MessageHandler {
    package func giveUp(_ letter: DeadLetter) async throws {}
}

package struct ReceivedMessage<Message: TopicMessage>: Sendable {
    package let message: Message
    package let origin: IncomingMessage

    package init(message: Message, origin: IncomingMessage) {
        self.message = message
        self.origin = origin
    }

    package var trace: TraceContext? { origin.headers.trace }
}

/// The world as a handler sees it.
package struct HandlerContext: Sendable {
    package let time: any TimeSource
    package let random: any RandomSource
    /// For work whose outputs come while it runs; what `handle` returns needs no producer.
    package let producer: any BusProducer
    package let log: Log
    /// Counted from one.
    package let attempt: Int

    package init(
        time: any TimeSource, random: any RandomSource, producer: any BusProducer, log: Log, attempt: Int
    ) {
        self.time = time
        self.random = random
        self.producer = producer
        self.log = log
        self.attempt = attempt
    }
}

/// The handler cannot do this message, however often it tries.
package struct PoisonMessageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ reason: String) {
        description = reason
    }
}
