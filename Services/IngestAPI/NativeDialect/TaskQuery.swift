import HTTPServer
import JSONKit
import PushModel
import Store

/// What a query asks for. Names that mean nothing here are ignored, as proxies add some.
struct TaskQuery {
    let limit: Int
    let before: TaskEntry.ID?

    init(_ request: HTTPRequest) throws(TaskRefusal) {
        let limits = TaskPage.limits
        if let text = request.queryValue("limit") {
            guard let limit = Int(text), limits.contains(limit) else {
                throw TaskQuery.refusal(
                    "limit", "must be a whole number from \(limits.lowerBound) to \(limits.upperBound)")
            }
            self.limit = limit
        } else {
            limit = TaskPage.limit
        }
        before = try request.queryValue("before").map { text throws(TaskRefusal) in
            guard let entry = TaskEntry.ID(cursor: text) else {
                throw TaskQuery.refusal("before", "must be what an earlier page had as next")
            }
            return entry
        }
    }

    static func isDryRun(_ request: HTTPRequest) throws(TaskRefusal) -> Bool {
        switch request.queryValue("dry_run") {
        case nil, "false": false
        case "true": true
        default: throw refusal("dry_run", "must be true or false")
        }
    }

    private static func refusal(_ name: String, _ message: String) -> TaskRefusal {
        .invalid([JSONProblems.Problem(path: name, message: message)])
    }
}
