import HTTPServer
import ServiceKit

extension HTTPRequest {
    /// Refuses unknown parameters, since a misspelt `dry_run` would send the push, and duplicate ones.
    func checkQuery(allows names: [String]) throws(TaskError) {
        guard let items = queryItems else {
            throw .invalidField(
                "", message: "the query has a percent escape that is invalid or does not decode to text")
        }
        var seen: Set<String> = []
        for (name, _) in items {
            let field = OutsideText.excerpt(name)
            guard names.contains(name) else {
                throw .invalidField(field, message: "unknown query parameter" + Spelling.advice(name, among: names))
            }
            guard seen.insert(name).inserted else {
                throw .invalidField(field, message: "duplicate query parameter")
            }
        }
    }
}
