import PushModel

extension ByteReader {
    /// A packed message that the bytes hold, and nothing behind it; `name` says what they are not.
    static func message<Message>(
        _ bytes: [UInt8], name: String, read: (inout ByteReader) -> Message?
    ) throws(MalformedMessageError) -> Message {
        var reader = ByteReader(bytes)
        guard let message = read(&reader), reader.isAtEnd else {
            throw MalformedMessageError("no \(name) of a known format")
        }
        return message
    }
}
