package import ServiceKit
package import Topics

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
            headers: (message.event?.headers ?? [])
                + (trace.map { [MessageHeader([MessageHeader].traceName, $0.header)] } ?? []))
    }
}

/// A message's own bytes and a little for the house-keeping around them.
func messageCost(key: [UInt8]?, value: [UInt8], headers: [MessageHeader]) -> Int {
    headers.bytes + value.count + (key?.count ?? 0) + 64
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
        try check("a message", count: value.count, maximum: Topics.messageBytesMaximum)
        try check("a key", count: key?.count ?? 0, maximum: Topics.keyBytesMaximum)
        guard !headers.isEmpty else { return }
        try check("headers", count: headers.bytes, maximum: headersBytesMaximum)
    }

    private func check(_ part: String, count: Int, maximum: Int) throws(BusError) {
        guard count > maximum else { return }
        throw BusError(.tooLarge, message: "\(part) of \(count) bytes for \(channel.name); the most is \(maximum)")
    }
}
