import JSONKit
package import ServiceKit
package import TaskModel

/// A record of `schedules`. The last record of a key is valid; on Kafka the topic keeps it until the task is released.
package enum ScheduleRecord: TopicMessage, Equatable {
    /// A task that waits for its time. One that is withdrawn does not wait any more.
    case task(PushTask)
    /// A part of the list of a task that begins at this time.
    case part(TaskPart, begins: Timestamp)
    /// The task, or the task of this part, is released: a tombstone.
    case released

    private static let version = 1

    package func encoded() -> [UInt8] {
        var object = JSONObject([("version", .integer(Int64(ScheduleRecord.version)))])
        switch self {
        case .task(let task): object["task"] = task.json
        case .part(let part, let begins):
            object["begins"] = .string("\(begins)")
            object["part"] = part.json
        case .released: return []
        }
        return JSON.object(object).compactBytes
    }

    package init(decoding bytes: [UInt8]) throws {
        guard !bytes.isEmpty else {
            self = .released
            return
        }
        let json = try JSON(message: bytes, "schedule record")
        guard json.hasVersion(ScheduleRecord.version) else {
            throw MalformedMessageError("schedule record of an unknown version")
        }
        if let part = json["part"].flatMap({ TaskPart($0) }),
            let begins = json.value("begins", convert: Timestamp.init(rfc3339:))
        {
            self = .part(part, begins: begins)
            return
        }
        let problems = JSONProblems()
        guard let task = json["task"].flatMap({ PushTask($0, problems: problems) }) else {
            throw MalformedMessageError(
                "invalid schedule record: \(problems.all.first?.description ?? "neither a task nor a part")")
        }
        self = .task(task)
    }
}
