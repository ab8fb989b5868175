import CommandKit
import JSONKit

/// The answer to a request that sends a state of a Live Activity.
struct SentState: Sendable {
    let answer: JSON

    /// For people, with the command that follows the task.
    func text(_ access: APIAccess) -> String {
        let task = line("task") ?? ""
        let due = line("due").map { ", due \($0)" } ?? ""
        return "task \(task)\(due)\nfollow it with: \(access.command("watch \(task)"))"
    }

    func line(_ name: String) -> String? {
        answer[name]?.text.map { VisibleBytes(isRaw: false).line($0, charactersMaximum: 200) }
    }
}
