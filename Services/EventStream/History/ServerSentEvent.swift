import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// An event in pushd's form, encoded once for all of its listeners: `data: {"event","title","message","data"}`.
struct ServerSentEvent: Sendable {
    let task: TaskID
    let app: AppID
    let topics: [TopicName]
    let time: Timestamp
    /// What follows the name in the JSON object, to the end of the event.
    private let rest: [UInt8]

    init(_ event: ListenerEvent) {
        task = event.task
        app = event.app
        topics = event.topics
        time = event.time
        let members = JSONText.object { json in
            json.member("title", object: { if let title = event.title { $0.members(of: title) } })
            json.member("message", object: { if let body = event.body { $0.members(of: body) } })
            json.member("data", json: JSON.object(event.data).compactText)
        }
        rest = Array(",\(members.dropFirst())\n\n".utf8)
    }

    /// Memory that it takes, with an allowance for what is kept beside the bytes.
    var cost: Int { rest.count + topics.reduce(512) { $0 + $1.text.utf8.count + 16 } }

    /// The event as it is sent to those who listen to this topic; `id` is their position after it.
    func bytes(for topic: TopicName, id: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count + topic.text.utf8.count + id.utf8.count + 32)
        bytes += "id: ".utf8
        bytes += id.utf8
        bytes += "\ndata: {\"event\":".utf8
        JSONText.quote(topic.text, into: &bytes)
        bytes += rest
        return bytes
    }
}

/// What a stream carries beside events.
enum StreamText {
    /// As in pushd, sent first and while nothing else is.
    static let keepAlive = Array("\n".utf8)

    /// A keep-alive that moves the position of a client that was sent no event for long.
    static func keepAlive(id: String) -> [UInt8] { Array("\nid: \(id)\n\n".utf8) }

    /// Sent when a stream is opened: from where the client continues if it loses the stream, and how long it waits
    /// before it does.
    static func opening(id: String?, retry: Duration) -> [UInt8] {
        Array("\nretry: \(retry.wholeMilliseconds)\n\(id.map { "id: \($0)\n" } ?? "")\n".utf8)
    }

    static func retry(_ pause: Duration) -> [UInt8] { Array("retry: \(pause.wholeMilliseconds)\n\n".utf8) }

    /// Events between the client's position and what follows may be missing.
    static func gap(id: String) -> [UInt8] { Array("id: \(id)\nevent: gap\ndata: {}\n\n".utf8) }
}
