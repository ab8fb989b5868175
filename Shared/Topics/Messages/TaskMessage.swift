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
package struct TaskPart: Sendable, Equatable {
    private static let version = 1

    package let task: TaskID
    /// Starts at 0.
    package let number: Int
    package let entries: [TargetEntry]
    /// The contents of the entries, each once; empty if all devices get the content of the task.
    package let contents: [TaskContent]
    /// The place of each entry's content; empty in a part without contents.
    package let choices: [Int]

    package init(
        task: TaskID, number: Int, entries: [TargetEntry], contents: [TaskContent] = [], choices: [Int] = []
    ) {
        precondition(choices.count == (contents.isEmpty ? 0 : entries.count), "each entry has a content, or none has")
        self.task = task
        self.number = number
        self.entries = entries
        self.contents = contents
        self.choices = choices
    }

    var json: JSON {
        var object = JSONObject([
            ("version", .integer(Int64(TaskPart.version))), ("task", .string("\(task)")),
            ("part", .integer(Int64(number))), ("entries", .array(entries.map(\.json))),
        ])
        if !contents.isEmpty {
            object["contents"] = .array(contents.map(\.json))
            object["choices"] = .array(choices.map { .integer(Int64($0)) })
        }
        return .object(object)
    }

    init?(_ json: JSON) {
        guard json.hasVersion(TaskPart.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            case .integer(let number) = json["part"], (0..<Int64(ContentNumber.partsMaximum)).contains(number),
            let elements = json["entries"]?.elements, elements.count <= TargetList.entriesMaximum
        else { return nil }
        let entries = elements.compactMap { TargetEntry($0) }
        guard entries.count == elements.count, let contents = TaskPart.contents(json),
            let choices = TaskPart.choices(json, among: contents.count),
            choices.count == (contents.isEmpty ? 0 : entries.count)
        else { return nil }
        self.init(task: task, number: Int(number), entries: entries, contents: contents, choices: choices)
    }

    private static func contents(_ json: JSON) -> [TaskContent]? {
        guard let list = json["contents"] else { return [] }
        guard let elements = list.elements, elements.count <= ContentNumber.placesMaximum else { return nil }
        let problems = JSONProblems()
        let contents = elements.map { TaskContent(JSONFields($0, problems: problems)) }
        return problems.all.isEmpty ? contents : nil
    }

    private static func choices(_ json: JSON, among count: Int) -> [Int]? {
        guard let list = json["choices"] else { return [] }
        guard let elements = list.elements, elements.count <= TargetList.entriesMaximum else { return nil }
        let choices = elements.compactMap { element -> Int? in
            guard case .integer(let place) = element, (0..<Int64(count)).contains(place) else { return nil }
            return Int(place)
        }
        return choices.count == elements.count ? choices : nil
    }
}
