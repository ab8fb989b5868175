package import ServiceKit

/// A message as the bus delivered it. A class, since it passes through several queues on its way to the handler, and a
/// struct would retain each of its four buffers at every step.
package final class IncomingMessage: Sendable {
    package let partition: PartitionID
    package let offset: Int64
    package let key: [UInt8]?
    package let value: [UInt8]
    package let headers: [MessageHeader]
    /// When it was produced.
    package let timestamp: Timestamp
    /// Its size as counted against bounds, as in `OutgoingMessage.cost`.
    package let cost: Int

    package init(
        partition: PartitionID, offset: Int64, key: [UInt8]?, value: [UInt8], headers: [MessageHeader],
        timestamp: Timestamp
    ) {
        self.partition = partition
        self.offset = offset
        self.key = key
        self.value = value
        self.headers = headers
        self.timestamp = timestamp
        cost = messageCost(key: key, value: value, headers: headers)
    }
}
