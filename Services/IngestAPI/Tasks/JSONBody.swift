import HTTPServer
import JSONKit

/// Reads a request's body as a JSON object. A body without a Content-Type is read as JSON.
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
            throw .malformed("The body is not valid JSON: \(error).")
        }
        guard value.object != nil else { throw .malformed("The body must be a JSON object, not \(value.kind).") }
        return JSONFields(value, problems: problems)
    }
}
