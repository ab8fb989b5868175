/// A JSON value in memory.
@usableFromInline package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer beyond the range of `integer`.
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    @usableFromInline package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var elements: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// A member of an object; nil for other values and for a name the object does not have.
    package subscript(name: String) -> JSON? {
        object?[name]
    }

    /// The kind of value, for messages such as "expected a string, got an array".
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .unsigned, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
