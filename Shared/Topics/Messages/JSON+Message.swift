import JSONKit

// How messages that are JSON are read.
extension JSON {
    /// `name` says what the bytes are not when they cannot be parsed.
    init(message bytes: [UInt8], _ name: String) throws(MalformedMessageError) {
        do {
            self = try JSON(bytes)
        } catch {
            throw MalformedMessageError("no \(name): \(error)")
        }
    }

    func hasVersion(_ version: Int) -> Bool {
        self["version"] == .integer(Int64(version))
    }

    /// A member that is written as a text; nil where there is none, or another text.
    func value<Value>(_ name: String, convert: (String) -> Value?) -> Value? {
        self[name]?.text.flatMap(convert)
    }
}
