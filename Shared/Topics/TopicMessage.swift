/// What travels on a topic: a value that can write itself as bytes and be read back from any bytes whatever.
package protocol TopicMessage: Sendable {
    /// Throws `MalformedMessageError` for bytes that are no such message; never traps on hostile input.
    init(decoding bytes: [UInt8]) throws
    func encoded() -> [UInt8]
    /// Of a message that others may read; nil for the house's own.
    var event: CloudEvent? { get }
    /// The app whose trouble may hold the message, for handling it apart from those of others; nil where it has none.
    var tenant: String? { get }
}

extension TopicMessage {
    package var event: CloudEvent? { nil }
    package var tenant: String? { nil }
}

/// The bytes on a topic are not a message of the topic's type. Trying again cannot help.
package struct MalformedMessageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// A message taken as it is. Topics carry it until the service that first produces them gives them their type, and what
/// moves messages without reading them (dead letters, the benchmark) always does.
package struct OpaqueMessage: TopicMessage, Equatable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(decoding bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func encoded() -> [UInt8] {
        bytes
    }
}
