package import ServiceKit
package import Topics

/// A message to be sent.
package struct OutgoingMessage: Sendable {
    package let channel: Channel
    /// Messages of one key stay in order; messages without a key are spread over the partitions.
    package let key: [UInt8]?
    package let value: [UInt8]
    package let headers: [MessageHeader]

    package init(channel: Channel, key: [UInt8]?, value: [UInt8], headers: [MessageHeader] = []) {
        self.channel = channel
        self.key = key
        self.value = value
        self.headers = headers
    }

    /// Its size as counted against bounds.
    package var cost: Int { messageCost(key: key, value: value, headers: headers) }
}

extension Topic {
    /// A message that was encoded before and is no event.
    package func message(encoded value: [UInt8], key: [UInt8]?, trace: TraceContext? = nil) -> OutgoingMessage {
        OutgoingMessage(channel: channel, key: key, value: value, headers: Topic.headers(trace))
    }

    private static func headers(_ trace: TraceContext?) -> [MessageHeader] {
        trace.map { [MessageHeader([MessageHeader].traceName, $0.header)] } ?? []
    }

    package func message(
        _ message: Message, key: [UInt8]?, lane: Lane? = nil, trace: TraceContext? = nil
    ) -> OutgoingMessage {
        OutgoingMessage(
            channel: lane.map { channel($0) } ?? channel, key: key, value: message.encoded(),
            headers: (message.event?.headers ?? []) + Topic.headers(trace))
    }
}

/// A message's own bytes and an allowance for its overhead.
func messageCost(key: [UInt8]?, value: [UInt8], headers: [MessageHeader]) -> Int {
    headers.bytes + value.count + (key?.count ?? 0) + 64
}

extension [OutgoingMessage] {
    /// Throws `tooLarge` if any message exceeds what the drivers carry, before anything is sent.
    package func checkSizes() throws(BusError) {
        for message in self { try message.checkSize() }
    }
}

extension OutgoingMessage {
    /// A dead letter adds its own headers: every message that can be sent must also fit as a dead letter.
    private var headersBytesMaximum: Int {
        let own = channel == Topics.dead.channel ? DeadLetter.storyBytesMaximum : 0
        return Topics.headersBytesMaximum + own
    }

    fileprivate func checkSize() throws(BusError) {
        try check("a message", count: value.count, maximum: Topics.messageBytesMaximum)
        try check("a key", count: key?.count ?? 0, maximum: Topics.keyBytesMaximum)
        guard !headers.isEmpty else { return }
        try check("a header block", count: headers.bytes, maximum: headersBytesMaximum)
    }

    private func check(_ part: String, count: Int, maximum: Int) throws(BusError) {
        guard count > maximum else { return }
        throw BusError(.tooLarge, message: "\(part) for \(channel.name) has \(count) bytes; the maximum is \(maximum)")
    }
}
