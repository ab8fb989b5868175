package import JSONKit
package import PushModel
package import ServiceKit
package import TaskModel

/// A planned task for everyone who listens to its topics: JSON, versioned. A repeat has the same id.
package struct ListenerEvent: TopicMessage, Equatable {
    package static let version = 1
    /// Two of them fit into the buffer of one stream.
    package static let bytesMaximum = 32 << 10
    /// The name under which a task for all devices is published, as in pushd.
    package static let everyoneName = "broadcast"

    package let task: TaskID
    package let app: AppID
    /// The names under which it is published, each once.
    package let topics: [TopicName]
    /// In all languages, with variables filled in.
    package let title: LocalizedText?
    package let body: LocalizedText?
    package let data: JSONObject
    /// When it was planned.
    package let time: Timestamp

    package init(
        task: TaskID, app: AppID, topics: [TopicName], title: LocalizedText?, body: LocalizedText?, data: JSONObject,
        time: Timestamp
    ) {
        self.task = task
        self.app = app
        self.topics = topics
        self.title = title
        self.body = body
        self.data = data
        self.time = time
    }

    package var id: String { "\(task)/event" }
    package var key: [UInt8] { Array(app.text.utf8) }

    package var event: CloudEvent? {
        CloudEvent(id: id, of: "events", version: ListenerEvent.version, app: app, subject: "\(task)", time: time)
    }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", ListenerEvent.version)
            json.member("id", id)
            json.member("task", "\(task)")
            json.member("app", app.text)
            json.member("topics", json: JSONText.array(topics.map(\.text)))
            if let title { json.member("title", object: { $0.members(of: title) }) }
            if let body { json.member("body", object: { $0.members(of: body) }) }
            json.member("data", json: JSON.object(data).compactText)
            json.member("time", "\(time)")
        }
        return Array(text.utf8)
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "event")
        guard json.hasVersion(ListenerEvent.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            let app = json.value("app", convert: { try? AppID($0) }),
            let names = json["topics"]?.elements, !names.isEmpty, names.count <= Audience.topicsMaximum + 1,
            let data = json["data"]?.object,
            let time = json.value("time", convert: Timestamp.init(rfc3339:))
        else { throw MalformedMessageError("invalid event, or of an unknown version") }
        let topics = names.compactMap { name in name.text.flatMap { try? TopicName($0) } }
        guard topics.count == names.count else { throw MalformedMessageError("invalid topic of an event") }
        self.init(
            task: task, app: app, topics: topics, title: try LocalizedText(event: json, "title"),
            body: try LocalizedText(event: json, "body"), data: data, time: time)
    }
}

extension JSONText {
    /// The text by language, the standard one as `default`.
    package mutating func members(of text: LocalizedText) {
        member(LocalizedText.standardName, text.standard)
        for (language, translation) in text.translations.sorted(by: { $0.key < $1.key }) {
            member(language, translation)
        }
    }
}

extension LocalizedText {
    fileprivate static let standardName = "default"

    /// Nil if the event has no such text.
    fileprivate init?(event json: JSON, _ name: String) throws(MalformedMessageError) {
        guard let value = json[name] else { return nil }
        guard let members = value.object?.members, let standard = value[LocalizedText.standardName]?.text else {
            throw MalformedMessageError("invalid \(name) of an event")
        }
        var translations: [String: String] = [:]
        for (language, text) in members where language != LocalizedText.standardName {
            guard let text = text.text else { throw MalformedMessageError("invalid \(name) of an event") }
            translations[language] = text
        }
        self.init(standard, translations: translations)
    }
}
