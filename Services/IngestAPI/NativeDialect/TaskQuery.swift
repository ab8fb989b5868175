import HTTPServer
import PushModel
import Store

/// Query parameters of a request.
struct TaskQuery {
    let limit: Int
    /// Where the page begins: the value of `next` of the page before.
    let before: TaskEntry.ID?
    let isOfScheduled: Bool

    init(_ request: HTTPRequest) throws(TaskError) {
        limit = try request.limit(in: TaskPage.limits, default: TaskPage.limit)
        switch request.queryValue("state") {
        case nil: isOfScheduled = false
        case "scheduled": isOfScheduled = true
        default: throw TaskError.invalidField("state", message: "expected scheduled")
        }
        before = try request.queryValue("before").map { text throws(TaskError) in
            guard let entry = TaskEntry.ID(cursor: text) else {
                throw TaskError.invalidField("before", message: "expected the value of next from an earlier page")
            }
            return entry
        }
    }

    static func isDryRun(_ request: HTTPRequest) throws(TaskError) -> Bool {
        switch request.queryValue("dry_run") {
        case nil, "false": false
        case "true": true
        default: throw TaskError.invalidField("dry_run", message: "expected true or false")
        }
    }
}
