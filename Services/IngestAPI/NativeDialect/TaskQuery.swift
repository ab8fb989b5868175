import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// Query parameters of a request.
struct TaskQuery {
    let limit: Int
    let before: TaskEntry.ID?

    init(_ request: HTTPRequest) throws(TaskError) {
        let limits = TaskPage.limits
        if let text = request.queryValue("limit") {
            guard let limit = Int(text), limits.contains(limit) else {
                throw TaskQuery.refusal(
                    "limit", message: "expected an integer from \(limits.lowerBound) to \(limits.upperBound)")
            }
            self.limit = limit
        } else {
            limit = TaskPage.limit
        }
        before = try request.queryValue("before").map { text throws(TaskError) in
            guard let entry = TaskEntry.ID(cursor: text) else {
                throw TaskQuery.refusal("before", message: "expected the value of next from an earlier page")
            }
            return entry
        }
    }

    static func isDryRun(_ request: HTTPRequest) throws(TaskError) -> Bool {
        switch request.queryValue("dry_run") {
        case nil, "false": false
        case "true": true
        default: throw refusal("dry_run", message: "expected true or false")
        }
    }

    /// Refuses unknown parameters, since a misspelt `dry_run` would send the push, and duplicate ones.
    static func check(_ request: HTTPRequest, knows names: [String]) throws(TaskError) {
        guard let items = request.queryItems else {
            throw refusal("", message: "the query has a percent escape that is invalid or does not decode to text")
        }
        var seen: Set<String> = []
        for (name, _) in items {
            let field = OutsideText.excerpt(name)
            guard names.contains(name) else {
                throw refusal(field, message: "unknown query parameter" + Spelling.advice(name, among: names))
            }
            guard seen.insert(name).inserted else {
                throw refusal(field, message: "duplicate query parameter")
            }
        }
    }

    private static func refusal(_ name: String, message: String) -> TaskError {
        .invalid([JSONProblems.Problem(path: name, message: message)])
    }
}
