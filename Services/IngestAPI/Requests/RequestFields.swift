import HTTPServer
import JSONKit
import PushModel

/// The names and values of a request's body, whichever way it is written. Of several values for one name the last counts.
struct RequestFields: Sendable, Equatable {
    /// The server has bounded the body already, each route in its own way. Several times the subscriptions that a device may
    /// have are still counted, for an answer that says so.
    private static let limits = JSONLimits(
        bytesMaximum: HTTPServerConfiguration.routeBodyBytesMaximum, valuesMaximum: 50_000)

    let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    /// An empty body has no fields, whatever it calls itself.
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

    /// A value as text: null counts as absent, numbers and truth values as they are written.
    func text(_ name: String) throws(InvalidValueError) -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let text): return text
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .number(let value): return String(value)
        case .some(let value): throw InvalidValueError("must be a text, not \(value.kind)")
        }
    }

    /// `true`, `false`, `1` and `0`, as texts, numbers or truth values. An empty text counts as absent, as a form without a
    /// choice sends it.
    func flag(_ name: String) throws(InvalidValueError) -> Bool? {
        switch try text(name) {
        case nil, "": return nil
        case "true", "1": return true
        case "false", "0": return false
        default: throw InvalidValueError("must be true, false, 1 or 0")
        }
    }

    /// An empty text counts as absent.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(InvalidValueError) -> Int? {
        guard let text = try text(name), !text.isEmpty else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw InvalidValueError("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static func decodeJSON(_ body: HTTPRequestBody) throws(BodyError) -> JSONObject {
        guard body.reserve(JSON.parsedBytesEstimate(of: body.bytes)) else { throw .noRoom }
        let value: JSON
        do throws(JSONError) {
            value = try JSON(body.bytes, limits: limits)
        } catch {
            throw .malformed("the body cannot be read as JSON: \(error)")
        }
        guard let object = value.object else { throw .malformed("the body must be a JSON object, not \(value.kind)") }
        return object
    }
}
