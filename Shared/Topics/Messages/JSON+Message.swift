import JSONKit

// Decoding of JSON messages.
extension JSON {
    /// `name` is for the error if the bytes cannot be parsed.
    init(message bytes: [UInt8], _ name: String) throws(MalformedMessageError) {
        do {
            self = try JSON(bytes)
        } catch {
            throw MalformedMessageError("invalid \(name): \(error)")
        }
    }

    func hasVersion(_ version: Int) -> Bool {
        self["version"] == .integer(Int64(version))
    }

    /// Converts a text member; nil if it is missing or cannot be converted.
    func value<Value>(_ name: String, convert: (String) -> Value?) -> Value? {
        self[name]?.text.flatMap(convert)
    }
}
