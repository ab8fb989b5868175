import Topics

/// Records on `dead` itself that a letter was replayed. A group's offset cannot: letters are replayed one by one
/// and by filter, in any order. A mark has the letter's key, so it follows the letter in the same partition and is not
/// removed before it.
package struct ReplayMark: Sendable {
    private static let header = "carillon-replayed"

    package let position: DeadPosition
    private let key: [UInt8]?

    package init(_ position: DeadPosition, key: [UInt8]?) {
        self.position = position
        self.key = key
    }

    /// Nil if the message is not a mark.
    package init?(fromDead message: IncomingMessage) {
        guard let position = message.headers[ReplayMark.header].flatMap({ DeadPosition($0) }) else { return nil }
        self.init(position, key: message.key)
    }

    package var outgoing: OutgoingMessage {
        OutgoingMessage(
            channel: Topics.dead.channel, key: key, value: [],
            headers: [MessageHeader(ReplayMark.header, position.description)])
    }
}
