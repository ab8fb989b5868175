import JSONKit
package import PushModel
package import TaskModel

/// A message of `tasks`: a task, or a part of a long list. Parts precede their task, under the same key, and have no
/// effect until it arrives.
package enum TaskMessage: TopicMessage, Equatable {
    case task(PushTask)
    case part(TaskPart)

    package func encoded() -> [UInt8] {
        switch self {
        case .task(let task): task.json.compactBytes
        case .part(let part): part.json.compactBytes
        }
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "task")
        if json["part"] != nil {
            guard let part = TaskPart(json) else { throw MalformedMessageError("invalid part of a task's list") }
            self = .part(part)
            return
        }
        let problems = JSONProblems()
        guard let task = PushTask(json, problems: problems) else {
            throw MalformedMessageError("invalid task: \(problems.all.first?.description ?? "unreadable")")
        }
        self = .task(task)
    }
}

/// A part of a task's list.
package struct TaskPart: Sendable, Hashable {
    private static let version = 1

    package let task: TaskID
    /// Starts at 0.
    package let number: Int
    package let entries: [TargetEntry]

    package init(task: TaskID, number: Int, entries: [TargetEntry]) {
        self.task = task
        self.number = number
        self.entries = entries
    }

    var json: JSON {
        .object(
            JSONObject([
                ("version", .integer(Int64(TaskPart.version))), ("task", .string("\(task)")),
                ("part", .integer(Int64(number))), ("entries", .array(entries.map(\.json))),
            ]))
    }

    init?(_ json: JSON) {
        guard json.hasVersion(TaskPart.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            case .integer(let number) = json["part"], (0..<1_000_000).contains(number),
            let elements = json["entries"]?.elements, elements.count <= TargetList.entriesMaximum
        else { return nil }
        let entries = elements.compactMap { TargetEntry($0) }
        guard entries.count == elements.count else { return nil }
        self.init(task: task, number: Int(number), entries: entries)
    }
}
