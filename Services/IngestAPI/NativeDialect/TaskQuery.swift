import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// What a query asks for.
struct TaskQuery {
    let limit: Int
    let before: TaskEntry.ID?

    init(_ request: HTTPRequest) throws(TaskError) {
        let limits = TaskPage.limits
        if let text = request.queryValue("limit") {
            guard let limit = Int(text), limits.contains(limit) else {
                throw TaskQuery.refusal(
                    "limit", message: "must be a whole number from \(limits.lowerBound) to \(limits.upperBound)")
            }
            self.limit = limit
        } else {
            limit = TaskPage.limit
        }
        before = try request.queryValue("before").map { text throws(TaskError) in
            guard let entry = TaskEntry.ID(cursor: text) else {
                throw TaskQuery.refusal("before", message: "must be what an earlier page had as next")
            }
            return entry
        }
    }

    static func isDryRun(_ request: HTTPRequest) throws(TaskError) -> Bool {
        switch request.queryValue("dry_run") {
        case nil, "false": false
        case "true": true
        default: throw refusal("dry_run", message: "must be true or false")
        }
    }

    /// A name that means nothing is refused, as a misspelt `dry_run` would send for real; so is one that comes twice.
    static func check(_ request: HTTPRequest, knows names: [String]) throws(TaskError) {
        guard let items = request.queryItems else {
            throw refusal("", message: "the query cannot be read: it has a broken escape, or one that makes no text")
        }
        var seen: Set<String> = []
        for (name, _) in items {
            let field = OutsideText.excerpt(name)
            guard names.contains(name) else {
                throw refusal(field, message: "unknown name in the query" + Spelling.advice(name, among: names))
            }
            guard seen.insert(name).inserted else {
                throw refusal(field, message: "stands in the query more than once")
            }
        }
    }

    private static func refusal(_ name: String, message: String) -> TaskError {
        .invalid([JSONProblems.Problem(path: name, message: message)])
    }
}
