package import ServiceKit
package import Topics

package struct MessageHeader: Sendable, Equatable {
    package let name: String
    package let value: [UInt8]

    package init(_ name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: String) {
        self.init(name, Array(value.utf8))
    }

    package var text: String { String(decoding: value, as: UTF8.self) }
}

extension [MessageHeader] {
    package static let traceName = "traceparent"

    package var bytes: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.count } }

    package subscript(name: String) -> String? {
        first { $0.name == name }?.text
    }

    package var trace: TraceContext? {
        self[Self.traceName].flatMap { TraceContext(header: $0) }
    }
}

/// A message on its way to the bus.
package struct OutgoingMessage: Sendable {
    package let channel: Channel
    /// Messages of one key stay in order; without one they are spread.
    package let key: [UInt8]?
    package let value: [UInt8]
    package let headers: [MessageHeader]

    package init(channel: Channel, key: [UInt8]?, value: [UInt8], headers: [MessageHeader] = []) {
        self.channel = channel
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// What it counts against bounds.
    package var cost: Int { messageCost(key: key, value: value, headers: headers) }
}

extension Topic {
    package func message(
        _ message: Message, key: [UInt8]?, lane: Lane? = nil, trace: TraceContext? = nil
    ) -> OutgoingMessage {
        OutgoingMessage(
            channel: lane.map { channel($0) } ?? channel, key: key, value: message.encoded(),
            headers: trace.map { [MessageHeader([MessageHeader].traceName, $0.header)] } ?? [])
    }
}

/// A message as the bus delivered it. A class, since it is handed through several queues on its way to the handler, and
/// a value would have each of its four buffers retained at every step.
package final class IncomingMessage: Sendable {
    package let partition: PartitionID
    package let offset: Int64
    package let key: [UInt8]?
    package let value: [UInt8]
    package let headers: [MessageHeader]
    /// When it was produced.
    package let timestamp: Timestamp
    /// What it counts against bounds, as `OutgoingMessage.cost`.
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

/// A message's own bytes and a little for the house-keeping around them.
private func messageCost(key: [UInt8]?, value: [UInt8], headers: [MessageHeader]) -> Int {
    headers.bytes + value.count + (key?.count ?? 0) + 64
}

/// One partition of a topic or lane.
package struct PartitionID: Hashable, Sendable, CustomStringConvertible {
    package let channel: String
    package let number: Int32

    package init(channel: String, number: Int32) {
        self.channel = channel
        self.number = number
    }

    package var description: String { "\(channel)/\(number)" }
}

extension [OutgoingMessage] {
    /// Refuses what no driver carries, before anything was sent.
    package func checkSizes() throws(BusError) {
        for message in self { try message.checkSize() }
    }
}

extension OutgoingMessage {
    /// A dead letter brings headers of its own: a message that was allowed must be allowed to die.
    private var headersBytesMaximum: Int {
        let own = channel == Topics.dead.channel ? DeadLetter.storyBytesMaximum : 0
        return Topics.headersBytesMaximum + own
    }

    fileprivate func checkSize() throws(BusError) {
        try check("a message", value.count, Topics.messageBytesMaximum)
        try check("a key", key?.count ?? 0, Topics.keyBytesMaximum)
        guard !headers.isEmpty else { return }
        try check("headers", headers.bytes, headersBytesMaximum)
    }

    private func check(_ part: String, _ count: Int, _ maximum: Int) throws(BusError) {
        guard count > maximum else { return }
        throw BusError(.tooLarge, "\(part) of \(count) bytes for \(channel.name); the most is \(maximum)")
    }
}
