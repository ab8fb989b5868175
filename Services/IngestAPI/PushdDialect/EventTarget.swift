import Apps
import PushModel
import ServiceKit
import TaskModel

/// Who is meant by the name of an event.
enum EventTarget {
    /// The devices subscribed to it.
    case topic(TopicName)
    case everyone
    /// The id is not checked yet.
    case subscriber(Substring)

    private static let broadcast = "broadcast"
    private static let unicast = "unicast:"

    init(_ event: TopicName) {
        if event.text.utf8.elementsEqual(EventTarget.broadcast.utf8) {
            self = .everyone
        } else if event.text.utf8.starts(with: EventTarget.unicast.utf8) {
            self = .subscriber(event.text.dropFirst(EventTarget.unicast.count))
        } else {
            self = .topic(event)
        }
    }

    var scope: Scope {
        switch self {
        case .everyone: .broadcast
        case .topic, .subscriber: .publish
        }
    }

    func apply(to draft: inout TaskDraft) throws(EventDrop) {
        switch self {
        case .topic(let topic): draft.audience = .topic(topic)
        case .everyone: draft.audience = .everyone
        case .subscriber(let text):
            guard let id = DeviceID(String(text)) else {
                throw EventDrop(.subscriber, because: "expected the id of a subscriber after \(EventTarget.unicast)")
            }
            draft.entries = [.device(id)]
        }
    }
}
