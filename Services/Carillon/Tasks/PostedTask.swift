import JSONKit
import ServiceKit

/// A task as the answer to its request names it.
struct PostedTask: Equatable, Sendable {
    let id: String
    /// Nil unless the request made a task for each of several users.
    let user: String?

    /// Nil if it is no such answer.
    init?(_ answer: JSON) {
        guard let id = answer["id"]?.text else { return nil }
        self.id = id
        user = answer["user"]?.text
    }

    /// For standard output.
    var line: String { user.map { "task \(id) for \(OutsideText.excerpt($0))" } ?? "task \(id)" }

    var json: String {
        JSONText.object { json in
            json.member("id", id)
            if let user { json.member("user", user) }
        }
    }
}
