import CSimdJSON
import ServiceKit

/// Owns the parser of the C module and the last parsed document.
struct SimdJSONParser: ~Copyable {
    private let parser: OpaquePointer
    private let limits: JSONLimits

    /// Nil if out of memory.
    init?(_ limits: JSONLimits) {
        guard let parser = csimdjson_parser_create(limits.bytesMaximum, limits.depthMaximum) else { return nil }
        self.parser = parser
        self.limits = limits
    }

    deinit {
        csimdjson_parser_destroy(parser)
    }

    /// Nil if out of memory.
    func value(of bytes: [UInt8]) throws(JSONError) -> JSON? {
        var root = csimdjson_element()
        let status = csimdjson_parse(parser, bytes, bytes.count, bytes.count, &root)
        guard status == 0 else { throw explanation(of: bytes, String(cString: csimdjson_error_message(status))) }
        do throws(RefusedTextError) {
            return try value(root)
        } catch {
            if case .repeatedName = error {
                throw JSONError(code: .repeatedName, message: error.description, position: nil)
            }
            throw explanation(of: bytes, error.description)
        }
    }

    /// Position and reason of the error. In tests the two parsers always agreed; if they ever differ, the given reason
    /// is used.
    private func explanation(of bytes: [UInt8], _ reason: String) -> JSONError {
        JSONSyntax.error(in: bytes, limits) ?? JSONError(code: .syntax, message: reason, position: nil)
    }

    /// Recursion is bounded because the parser refuses documents deeper than `depthMaximum`.
    private func value(_ element: csimdjson_element) throws(RefusedTextError) -> JSON {
        switch csimdjson_element_type(element) {
        case CSIMDJSON_BOOL: scalar(element, initial: false, get: csimdjson_get_bool).map(JSON.bool) ?? .null
        case CSIMDJSON_INT64: scalar(element, initial: 0, get: csimdjson_get_int64).map(JSON.integer) ?? .null
        case CSIMDJSON_UINT64: scalar(element, initial: 0, get: csimdjson_get_uint64).map(JSON.unsigned) ?? .null
        case CSIMDJSON_DOUBLE: scalar(element, initial: 0, get: csimdjson_get_double).map(JSON.number) ?? .null
        case CSIMDJSON_STRING: .string(try text(element))
        case CSIMDJSON_ARRAY: .array(try elements(element))
        case CSIMDJSON_OBJECT: .object(try members(element))
        default: .null
        }
    }

    private func scalar<Value>(
        _ element: csimdjson_element, initial: Value, get: (csimdjson_element, UnsafeMutablePointer<Value>) -> Bool
    ) -> Value? {
        var value = initial
        return get(element, &value) ? value : nil
    }

    private func text(_ element: csimdjson_element) throws(RefusedTextError) -> String {
        var text: UnsafePointer<CChar>?
        var length = 0
        return csimdjson_get_string(element, &text, &length) ? try string(text, length: length) : ""
    }

    private func elements(_ array: csimdjson_element) throws(RefusedTextError) -> [JSON] {
        var iterator = csimdjson_iterator()
        guard csimdjson_array_begin(array, &iterator) else { return [] }
        var elements: [JSON] = []
        elements.reserveCapacity(csimdjson_container_count(array))
        var element = csimdjson_element()
        while csimdjson_array_next(&iterator, &element) { elements.append(try value(element)) }
        return elements
    }

    private func members(_ object: csimdjson_element) throws(RefusedTextError) -> JSONObject {
        var iterator = csimdjson_iterator()
        guard csimdjson_object_begin(object, &iterator) else { return JSONObject() }
        var members = JSONObject(countMaximum: csimdjson_container_count(object))
        var name: UnsafePointer<CChar>?
        var length = 0
        var element = csimdjson_element()
        while csimdjson_object_next(&iterator, &name, &length, &element) {
            guard length <= limits.nameBytesMaximum else { throw .nameTooLong }
            let name = try string(name, length: length)
            guard members.set(name, to: try value(element)) || limits.namesMayRepeat else { throw .repeatedName(name) }
        }
        return members
    }

    private func string(_ text: UnsafePointer<CChar>?, length: Int) throws(RefusedTextError) -> String {
        let bytes = UnsafeRawBufferPointer(start: text, count: length).bindMemory(to: UInt8.self)
        guard let string = OutsideText.string(bytes) else { throw .tooManyMarks }
        return string
    }
}

/// Why a string in valid JSON is refused.
private enum RefusedTextError: Error {
    case nameTooLong
    case tooManyMarks
    case repeatedName(String)

    var description: String {
        switch self {
        case .nameTooLong: "a name is too long"
        case .tooManyMarks: "a string \(OutsideText.problem)"
        case .repeatedName(let name): "duplicate name \(OutsideText.excerpt(name)) in an object"
        }
    }
}
