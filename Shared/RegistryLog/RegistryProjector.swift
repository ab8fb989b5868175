package import Bus
package import Store
package import Topics

/// Applies the log to the store, as the handler of a worker: in partition order, and again after a restart or a
/// rebalance, since the store skips changes that it has.
///
/// If the registry is not ready it throws `notReady`, which is retriable: the worker waits with its partition and skips
/// nothing.
package struct RegistryProjector: MessageHandler {
    package static let group = "registry-projector"
    /// Clients wait for changes to be applied: a projector that died is replaced within seconds. This is the lowest
    /// session timeout that Kafka's brokers accept by default (`group.min.session.timeout.ms`). If a live one counts as
    /// dead, nothing is lost, since the store skips changes it has; registrations wait for the rebalance.
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
