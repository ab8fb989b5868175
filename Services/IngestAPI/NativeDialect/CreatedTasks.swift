import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// The answer to a request that made a task, or one for each of several users.
struct CreatedTasks {
    let tasks: [PushTask]
    let warnings: [JSONProblems.Problem]

    /// `base` is the path below which the request was posted.
    func response(below base: String) -> HTTPResponse {
        let body = JSONText.object { json in
            if tasks.count == 1 {
                CreatedTasks.write(tasks[0], in: &json)
            } else {
                let texts = tasks.map { task in
                    JSONText.object { json in
                        if let user = task.window?.user { json.member("user", user.value) }
                        CreatedTasks.write(task, in: &json)
                    }
                }
                json.member("tasks", json: "[" + texts.joined(separator: ",") + "]")
            }
            if !warnings.isEmpty { json.member("warnings", json: warnings.text) }
        }
        var response = HTTPResponse.json(body, status: .created)
        if tasks.count == 1 { response.headers.append(HTTPField("Location", "\(base)/v1/tasks/\(tasks[0].id)")) }
        return response
    }

    private static func write(_ task: PushTask, in json: inout JSONText) {
        json.member("id", "\(task.id)")
        json.member("app", task.app.text)
        json.member("created", "\(task.created)")
        if let moment = task.sendAt { json.member("send_at", "\(moment)") }
        if let moment = task.rules.localTime { json.member("send_at_local", "\(moment)") }
        if let window = task.window { json.member("window", json: window.text) }
        if let key = task.replaces { json.member("replaces", key.text) }
        if !task.labels.areEmpty { json.member("labels", json: task.labels.json.compactText) }
        json.member("deadline", "\(task.deadline)")
    }
}
