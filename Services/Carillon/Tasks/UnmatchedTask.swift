import JSONKit

/// A task that no device matched: the warning, with what to check for the targets that the task names.
struct UnmatchedTask {
    private static let charactersMaximum = 80
    /// Further targets of a kind are left out.
    private static let targetsMaximum = 3

    private let task: JSON
    private let command: (String) -> String

    /// `command` completes a command so that it reaches the same API.
    init(_ task: JSON, command: @escaping (String) -> String) {
        self.task = task
        self.command = command
    }

    var warning: String {
        let cures = cures
        let checks = cures.isEmpty ? ["count the devices first: \(command("push --dry-run"))"] : cures
        return "the task addresses no device, so nothing is sent" + checks.map { "\n  \($0)" }.joined()
    }

    private var cures: [String] {
        var cures: [String] = []
        let audience = task["audience"]
        if audience?["all"] == .bool(true) {
            cures.append("the app has no registered device; does the key belong to the right app? (--app NAME)")
        }
        for topic in topics(audience) {
            cures.append("no device has subscribed to the topic: \(command("subscriptions show \(topic)"))")
        }
        if let name = audience?["audience"]?.text {
            cures.append("no device is in the audience: \(command("audiences show \(visible(name))"))")
        }
        for user in targets("users") {
            cures.append("no device belongs to the user: \(command("devices list --user \(user)"))")
        }
        for device in targets("devices") {
            cures.append("there is no such device: \(command("devices show \(device)"))")
        }
        let platforms = task["platforms"]?.elements?.compactMap(\.text) ?? []
        if !platforms.isEmpty {
            let names = platforms.prefix(UnmatchedTask.targetsMaximum).map(visible).joined(separator: ", ")
            cures.append("only devices of these platforms are addressed: \(names)")
        }
        return cures
    }

    private func topics(_ audience: JSON?) -> [String] {
        let parts = audience?["any"]?.elements ?? audience.map { [$0] } ?? []
        return parts.compactMap { $0["topic"]?.text }.prefix(UnmatchedTask.targetsMaximum).map(visible)
    }

    private func targets(_ name: String) -> [String] {
        (task[name]?.elements ?? []).compactMap(\.text).prefix(UnmatchedTask.targetsMaximum).map(visible)
    }

    private func visible(_ text: String) -> String {
        ShellWord.quoted(VisibleBytes(isRaw: false).line(text, charactersMaximum: UnmatchedTask.charactersMaximum))
    }
}
