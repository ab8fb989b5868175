package import ServiceKit
package import Topics

/// What carries messages between the stages. The drivers (Kafka, Redis Streams, memory) keep one contract:
///
/// - `send` returns only when every message is durable.
/// - A message is delivered until a consumer of the group has completed it: at least once, in order within a partition.
/// - A partition belongs to one living consumer of a group; a slow one keeps what it holds, a dead one does not.
/// - Memory is bounded, and what drains the house is never made to wait.
package protocol Bus: Sendable {
    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer
    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer
    /// Shows everything that lies on a topic or lane now, the oldest of each partition first, without being a member of any
    /// group; until `visit` returns false.
    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws
    /// How many messages each group has not handled yet, as the bus itself knows it: also while the group has no consumer.
    /// Empty where the bus does not tell.
    func backlog(of readers: [BusReader]) async throws(BusError) -> [BusReader: Int]
    /// Whether the bus answers now, for `/readyz`.
    func readiness() async -> Health.Readiness
    func close() async
}

extension Bus {
    package func backlog(of readers: [BusReader]) async throws(BusError) -> [BusReader: Int] { [:] }
}

package protocol BusProducer: Sendable {
    /// Returns once all are durable, with the place of each. After an error some may be durable and others not: send all
    /// again, and let the consumers drop the repeats. Messages of one key stay in order as long as their sends do not
    /// overlap.
    @discardableResult
    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition]
    /// Waits for what is being sent, then refuses more.
    func close() async
}

package struct ProducerOptions: Sendable {
    /// How long a send waits before it fails, as `full` at a topic's bound or as `unavailable` without an answer: short
    /// where a publisher waits, long between stages.
    package var patience: Duration

    package init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }
}
