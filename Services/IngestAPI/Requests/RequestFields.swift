import HTTPServer
import JSONKit
import PushModel

/// The fields of a request's body, in form or JSON encoding. The last value of a repeated name wins.
struct RequestFields: Sendable, Equatable {
    /// The server already limits the body per route. The limit on values is several times the number of subscriptions
    /// that a device may have, so that a request with too many of them gets an error that says so.
    private static let limits = JSONLimits(
        bytesMaximum: HTTPServerConfiguration.routeBodyBytesMaximum, valuesMaximum: 50_000)

    let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    /// An empty body has no fields, with any Content-Type.
    init(_ request: HTTPRequest) throws(BodyError) {
        guard !request.body.isEmpty else {
            self.init(JSONObject())
            return
        }
        switch MediaType(contentType: request.headers["Content-Type"] ?? "") {
        case .form: self.init(try FormBody.decode(request.body.bytes))
        case .json: self.init(try RequestFields.decodeJSON(request.body))
        case .other(let name): throw .unknownMediaType(name)
        }
    }

    /// A value as a string: null counts as absent; numbers and booleans are converted to text.
    func text(_ name: String) throws(InvalidValueError) -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let text): return text
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .number(let value): return String(value)
        case .some(let value): throw InvalidValueError("expected a string, got \(value.kind)")
        }
    }

    /// `true`, `false`, `1` and `0`, as strings, numbers or booleans. An empty string counts as absent, as forms send
    /// it for an unset field.
    func flag(_ name: String) throws(InvalidValueError) -> Bool? {
        switch try text(name) {
        case nil, "": return nil
        case "true", "1": return true
        case "false", "0": return false
        default: throw InvalidValueError("expected true, false, 1 or 0")
        }
    }

    /// An empty string counts as absent.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(InvalidValueError) -> Int? {
        guard let text = try text(name), !text.isEmpty else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw InvalidValueError("expected an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func decodeJSON(_ body: HTTPRequestBody) throws(BodyError) -> JSONObject {
        guard body.reserve(JSON.parsedBytesEstimate(of: body.bytes)) else { throw .noRoom }
        let value: JSON
        do throws(JSONError) {
            value = try JSON(body.bytes, limits: limits)
        } catch {
            throw .malformed("The body is not valid JSON: \(error).")
        }
        guard let object = value.object else { throw .malformed("The body must be a JSON object, not \(value.kind).") }
        return object
    }
}
