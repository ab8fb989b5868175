package import ServiceKit
package import Topics

/// The work of a stage: messages in, messages out. A plain value whose dependencies are protocols, so that tests and
/// the simulation need neither broker nor clock.
package protocol MessageHandler: Sendable {
    associatedtype Message: TopicMessage

    /// Handles messages of one partition, in order. The returned messages are made durable before these count as done.
    /// The same messages may come again after an error, a restart or a rebalance.
    ///
    /// Throw `PoisonMessageError` if no retry can help, a `RetriableError` if a dependency is unavailable; any other
    /// error is retried a few times.
    func handle(_ messages: [ReceivedMessage<Message>], context: HandlerContext) async throws -> [OutgoingMessage]

    /// Called before a message is dead-lettered, even if it cannot be decoded; may be called again for the same
    /// message. A `RetriableError` makes the message wait; any other error is logged.
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

/// The environment of a handler.
package struct HandlerContext: Sendable {
    package let time: any TimeSource
    package let random: any RandomSource
    /// For work that sends outputs while it runs; messages that `handle` returns need no producer.
    package let producer: any BusProducer
    package let log: Log
    /// Starts at 1.
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

/// The handler can never handle this message, however often it is retried.
package struct PoisonMessageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ reason: String) {
        description = reason
    }
}
