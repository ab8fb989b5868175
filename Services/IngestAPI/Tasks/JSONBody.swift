import HTTPServer
import JSONKit

/// The JSON object that a request's body is. A body without a type is taken for what the route expects.
enum JSONBody {
    private static let limits = JSONLimits(
        bytesMaximum: TaskLimits.bodyBytesMaximum, depthMaximum: TaskLimits.bodyDepthMaximum,
        valuesMaximum: TaskLimits.bodyValuesMaximum, namesMayRepeat: false)

    static func fields(_ request: HTTPRequest, problems: JSONProblems) throws(BodyError) -> JSONFields {
        if let type = request.headers["Content-Type"], MediaType(contentType: type) != .json {
            throw .unknownMediaType(type)
        }
        let bytes = request.body.bytes
        guard request.body.reserve(JSON.parsedBytesEstimate(of: bytes)) else { throw .noRoom }
        let value: JSON
        do throws(JSONError) {
            value = try JSON(bytes, limits: limits)
        } catch {
            throw .malformed("the body cannot be read as JSON: \(error)")
        }
        guard value.object != nil else { throw .malformed("the body must be a JSON object, not \(value.kind)") }
        return JSONFields(value, problems: problems)
    }
}
