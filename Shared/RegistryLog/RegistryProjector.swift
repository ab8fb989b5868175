package import Bus
package import Store
package import Topics

/// Applies the log to the store, as the handler of a worker: in the order of each partition, and again after a restart or
/// a hand-over, since the store passes over what it has.
///
/// A registry that is not ready throws `notReady`, which is retriable: the worker waits with its partition, and nothing is
/// passed over.
package struct RegistryProjector: MessageHandler {
    package static let group = "registry-projector"
    /// Clients wait for what is applied here: a projector that died is replaced within seconds. This is the least that
    /// Kafka's brokers take unless they are told otherwise (`group.min.session.timeout.ms`). One that is taken for dead and
    /// lives loses nothing, since the store passes over what it has; registrations wait while the partitions are dealt anew.
    package static let consumer = ConsumerOptions(
        channel: Topics.registry.channel, group: group, silenceMaximum: .seconds(6))

    private let projection: any RegistryProjection

    package init(_ projection: any RegistryProjection) {
        self.projection = projection
    }

    package func handle(
        _ messages: [ReceivedMessage<OpaqueMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        try await projection.apply(try messages.map { try LoggedChange($0.origin) })
        return []
    }
}

extension LoggedChange {
    fileprivate init(_ message: IncomingMessage) throws(PoisonMessageError) {
        do {
            self.init(offset: message.offset, try RegistryRecord(message).change)
        } catch {
            throw PoisonMessageError(error.description)
        }
    }
}
