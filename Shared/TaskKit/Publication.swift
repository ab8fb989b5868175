package import Bus
package import PushModel
import ServiceKit
package import Store
package import TaskModel
package import Topics

/// A message of `tasks` with a task for exactly the subscribers of one topic. Other audiences, also those that contain
/// a topic, count for no topic.
package struct Publication: Sendable {
    package struct Place: Hashable, Sendable {
        package let app: AppID
        package let partition: Int32
    }

    /// Marks messages whose task was counted from an earlier message.
    package static let countedHeader = MessageHeader("carillon-counted", "1")
    /// Without an error a task is on the bus within this time from its acceptance.
    private static let sendingTime = Duration.seconds(60)

    package let task: PushTask
    private let topic: TopicName
    private let origin: IncomingMessage

    /// Nil if there is nothing to count.
    package init?(_ message: ReceivedMessage<TaskMessage>) {
        self.init(message.message, origin: message.origin)
    }

    package init?(_ message: TaskMessage, origin: IncomingMessage) {
        guard case .task(let task) = message, case .topic(let topic)? = task.target.audience,
            task.target.list.entryCount == 0, !task.app.isSpace, origin.headers[Publication.countedHeader.name] == nil
        else { return nil }
        self.task = task
        self.topic = topic
        self.origin = origin
    }

    package var place: Place { Place(app: task.app, partition: origin.partition.number) }

    package var counted: TopicPublication {
        TopicPublication(offset: origin.offset, topic: topic, time: task.begins)
    }

    /// Whether the task may be in an earlier message: if a request with a key or the scheduler repeats it, or an
    /// operator replays a dead letter.
    package var mayBeRepeat: Bool { mayComeTwice || isLate }

    /// True if a task may be in two messages without an operator.
    package var mayComeTwice: Bool { task.sendAt != nil || task.id.isDerived }

    /// True of a replayed message, and of none else.
    package var isLate: Bool {
        !mayComeTwice && origin.timestamp > task.created + Publication.sendingTime
    }
}
