package import JSONKit
package import PushModel
package import ServiceKit

/// A publisher's order, whatever dialect it came in: who gets what, and how.
package struct PushTask: Sendable, Equatable {
    package let id: TaskID
    package let app: AppID
    package let created: Timestamp
    /// The id of the key that posted it; empty where an address was enough.
    package var credential = ""
    package var dialect = TaskDialect.native
    package var target = TaskTarget()
    package var content = TaskContent()
    package var options = TaskOptions()
    /// Those for which the app had no provider when the task was accepted. Their limits were not checked.
    package var unprovided: Set<PushProtocol> = []
    /// What the dialect's report repeats of the request.
    package var reported = JSONObject()

    package init(id: TaskID, app: AppID, created: Timestamp) {
        self.id = id
        self.app = app
        self.created = created
    }

    /// How long a task whose pushes live for one attempt has for that attempt.
    package static let timeOfOneAttempt = Duration.seconds(600)

    /// From then on nothing is sent, and what is open ends as expired.
    package var deadline: Timestamp {
        created + (options.timeToLive > .zero ? options.timeToLive : PushTask.timeOfOneAttempt)
    }
}

/// In whose words a task came, and so in whose words it is reported. The raw value stands in messages.
package enum TaskDialect: String, Sendable {
    case native
    case pushd
    case richie
}
