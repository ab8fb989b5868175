import HTTPServer
import JSONKit
import PushModel
import ServiceKit

/// Pushwoosh's envelope of every answer. Its SDK takes a call for successful only if both the HTTP status and
/// `status_code` are 200.
enum PushwooshAnswer {
    /// With the code of each message, in the order of the request.
    static func messages(_ tasks: [TaskID]) -> HTTPResponse {
        let codes = tasks.map { JSONText.quoted(code(of: $0)) }.joined(separator: ",")
        return response(200, message: "OK", content: "{\"Messages\":[\(codes)]}")
    }

    static let done = response(200, message: "OK")

    /// `content` is JSON.
    static func response(
        _ code: Int, status: HTTPStatus = .ok, message: String, content: String = "null"
    ) -> HTTPResponse {
        .json(
            JSONText.object { json in
                json.member("status_code", code)
                json.member("status_message", message)
                json.member("response", json: content)
            }, status: status)
    }

    /// In the form of Pushwoosh's message codes, such as `C3F8-C3863ED4-334AD4F1`: the first 8 and the last 12 digits
    /// of the task's id.
    static func code(of task: TaskID) -> String {
        let digits = task.description.uppercased().filter { $0 != "-" }
        let chosen = digits.prefix(8) + digits.suffix(12)
        return "\(chosen.prefix(4))-\(chosen.dropFirst(4).prefix(8))-\(chosen.suffix(8))"
    }
}
