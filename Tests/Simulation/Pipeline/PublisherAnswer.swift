import HTTPServer
import JSONKit
import PushModel

/// What a request that is done was answered with.
struct PublisherAnswer: Sendable {
    let json: JSON
    let headers: [HTTPField]

    /// The task that it names, in the manner of any dialect.
    var task: TaskID? {
        let named = ["id", "task", "task_id", "message_id"].lazy.compactMap { json[$0]?.text.flatMap { TaskID($0) } }
            .first
        return named ?? location?.split(separator: "/").last.flatMap { TaskID(String($0)) }
    }

    /// The number of a transfer of AppMetrica, whose status names its tasks.
    var transfer: Int64? {
        guard case .integer(let number) = json["push_response"]?["transfer_id"] else { return nil }
        return number
    }

    /// Of the task of the only message of an answer of Pushwoosh, whose id it does not tell.
    var messageCode: String? { json["response"]?["Messages"]?.elements?.first?.text }

    private var location: String? { headers.first { $0.name == "Location" }?.value }
}
