import Bus
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// Events of the apps `news` and `shop`.
enum SampleEvents {
    static let news = app("news")
    static let shop = app("shop")

    static func app(_ name: String) -> AppID {
        guard let app = try? AppID(name) else { preconditionFailure("invalid app") }
        return app
    }

    static func topic(_ name: String) -> TopicName {
        guard let topic = try? TopicName(name) else { preconditionFailure("invalid topic") }
        return topic
    }

    static func event(_ number: UInt64, app: AppID = news, topics: [String] = ["sports"], body: String = "x")
        -> ListenerEvent
    {
        ListenerEvent(
            task: TaskID(high: 1, low: number), app: app, topics: topics.map(topic), title: nil,
            body: LocalizedText(body), data: JSONObject([("number", .integer(Int64(number)))]),
            time: Timestamp(milliseconds: 0))
    }

    static func message(_ event: ListenerEvent, partition: Int32 = 0, offset: Int64) -> IncomingMessage {
        IncomingMessage(
            partition: PartitionID(channel: "events", number: partition), offset: offset, key: event.key,
            value: event.encoded(), headers: [], timestamp: Timestamp(milliseconds: 0))
    }
}
