import HTTPServer
import JSONKit

/// Reads a request's body as a JSON object. A body without a Content-Type is read as JSON; for clients that name another
/// type, `ofAnyType` ignores it.
enum JSONBody {
    private static let limits = JSONLimits(
        bytesMaximum: TaskLimits.bodyBytesMaximum, depthMaximum: TaskLimits.bodyDepthMaximum,
        valuesMaximum: TaskLimits.bodyValuesMaximum, namesMayRepeat: false)

    static func fields(
        _ request: HTTPRequest, ofAnyType: Bool = false, problems: JSONProblems
    ) throws(BodyError) -> JSONFields {
        let bytes = try bytes(request, ofAnyType: ofAnyType)
        let value: JSON
        do throws(JSONError) {
            value = try JSON(bytes, limits: limits)
        } catch {
            throw .malformed("The body is not valid JSON: \(error).")
        }
        guard value.object != nil else { throw .malformed("The body must be a JSON object, not \(value.kind).") }
        return JSONFields(value, problems: problems)
    }

    /// The bytes of a body for which there is memory once it is parsed.
    static func bytes(_ request: HTTPRequest, ofAnyType: Bool = false) throws(BodyError) -> [UInt8] {
        if !ofAnyType, let type = request.headers["Content-Type"], MediaType(contentType: type) != .json {
            throw .unknownMediaType(type)
        }
        let bytes = request.body.bytes
        guard request.body.reserve(JSON.parsedBytesEstimate(of: bytes)) else { throw .noRoom }
        return bytes
    }
}

extension BodyReading {
    /// Reads a JSON body. Throws all errors that `form` added to the problems of the fields, if any.
    func readJSON<Value: Sendable>(
        _ request: HTTPRequest, account: String?, ofAnyType: Bool = false,
        form: @escaping @Sendable (JSONFields) throws -> Value
    ) async throws -> Value {
        try await read(request, account: account) {
            let problems = JSONProblems()
            let value = try form(try JSONBody.fields(request, ofAnyType: ofAnyType, problems: problems))
            guard problems.all.isEmpty else { throw TaskError.invalid(problems.all) }
            return value
        }
    }
}
