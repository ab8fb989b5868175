import PushModel

extension ByteReader {
    /// Decodes a packed message that fills the bytes exactly; `name` is for the error.
    static func message<Message>(
        _ bytes: [UInt8], name: String, read: (inout ByteReader) -> Message?
    ) throws(MalformedMessageError) -> Message {
        var reader = ByteReader(bytes)
        guard let message = read(&reader), reader.isAtEnd else {
            throw MalformedMessageError("malformed \(name), or of an unknown format")
        }
        return message
    }
}
