import HTTPServer
import JSONKit

/// Reads the body of a request to the admin API. Nothing is done unless all of it is valid.
enum AdminDocument {
    /// `read` returns nil after adding a problem to its fields.
    static func read<Change>(
        _ request: HTTPRequest, read: (JSONFields) -> Change?, perform: (Change) -> HTTPResponse
    ) -> HTTPResponse {
        let problems = JSONProblems()
        let document: JSON
        do throws(JSONError) {
            document = try JSON(request.body.bytes)
        } catch {
            return Problem(.badRequest, detail: error.description).response()
        }
        let fields = JSONFields(document, problems: problems)
        let change = read(fields)
        if change != nil { fields.rejectUnknown() }
        guard problems.all.isEmpty, let change else {
            let detail = problems.all.map(\.description).joined(separator: "; ")
            return Problem(.badRequest, detail: detail).response()
        }
        return perform(change)
    }
}
