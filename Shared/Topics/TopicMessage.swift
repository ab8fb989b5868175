/// A message of a topic: a value that encodes itself as bytes and can be decoded from arbitrary bytes.
package protocol TopicMessage: Sendable {
    /// Throws `MalformedMessageError` for malformed bytes; never traps on hostile input.
    init(decoding bytes: [UInt8]) throws
    func encoded() -> [UInt8]
    /// The event of a public message; nil for an internal one.
    var event: CloudEvent? { get }
    /// The app whose outages may delay the message, so that it is handled apart from others; nil without an app.
    var tenant: String? { get }
}

extension TopicMessage {
    package var event: CloudEvent? { nil }
    package var tenant: String? { nil }
}

/// The bytes are not a message of the topic's type. A retry cannot help.
package struct MalformedMessageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// A message as raw bytes. Topics carry it until the service that first produces them defines their type; code that
/// moves messages without decoding them (dead letters, the benchmark) always uses it.
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
