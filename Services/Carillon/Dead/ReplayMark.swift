import Bus
import Topics

/// Says on `dead` itself that a letter was replayed, which no offset of a group could: letters are replayed one by one
/// and by filter, in any order. It has the letter's key, so it lies behind the letter in the same partition and is not
/// removed before it.
struct ReplayMark: Sendable {
    private static let header = "carillon-replayed"

    let position: DeadPosition
    private let key: [UInt8]?

    init(_ position: DeadPosition, key: [UInt8]?) {
        self.position = position
        self.key = key
    }

    /// Nil for any other message.
    init?(fromDead message: IncomingMessage) {
        guard let position = message.headers[ReplayMark.header].flatMap({ DeadPosition($0) }) else { return nil }
        self.init(position, key: message.key)
    }

    var outgoing: OutgoingMessage {
        OutgoingMessage(
            channel: Topics.dead.channel, key: key, value: [],
            headers: [MessageHeader(ReplayMark.header, position.description)])
    }
}
