package import ServiceKit
package import Topics

/// Carries messages between the stages. All drivers (Kafka, Redis Streams, memory) keep one contract:
///
/// - `send` returns only when every message is durable.
/// - A message is redelivered until a consumer of the group completes it: at least once, in order within a partition.
/// - A partition belongs to one live consumer of a group; a slow consumer keeps its partitions, a dead one loses them.
/// - Memory is bounded, and consumers' output is never throttled.
package protocol Bus: Sendable {
    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer
    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer
    /// A reader of a topic or lane that belongs to no group.
    func makeLogReader(_ channel: Channel, _ options: LogReaderOptions) async throws(BusError) -> any BusLogReader
    /// Passes every message of a topic or lane to `visit`, the oldest of each partition first, without joining a group.
    /// Stops at the present end, or when `visit` returns false.
    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws
    /// How far each group is, as the bus reports it, even while the group has no consumer. Topics that do not exist are
    /// missing. Empty if the bus does not report it.
    func progress(of readers: [BusReader]) async throws(BusError) -> [BusReader: GroupProgress]
    /// Readiness of the bus for `/readyz`: ready if it answers now.
    func readiness() async -> Health.Readiness
    func close() async
}

extension Bus {
    package func progress(of readers: [BusReader]) async throws(BusError) -> [BusReader: GroupProgress] { [:] }
}

package protocol BusProducer: Sendable {
    /// Returns the position of each message once all are durable. After an error some may be durable and others not:
    /// send all of them again; consumers drop the duplicates. Messages of one key stay in order as long as their sends
    /// do not overlap.
    @discardableResult
    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition]
    /// Waits for the sends in progress, then refuses new ones.
    func close() async
}

package struct ProducerOptions: Sendable {
    /// How long a send waits before it fails: with `full` at a topic's bound, with `unavailable` without an answer.
    /// Short where a publisher waits, long between stages.
    package var patience: Duration

    package init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }
}
