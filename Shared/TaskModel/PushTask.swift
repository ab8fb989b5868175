package import JSONKit
package import PushModel
package import ServiceKit

/// A push task of a publisher in any dialect: target, content and options.
package struct PushTask: Sendable, Equatable {
    package let id: TaskID
    package let app: AppID
    package let created: Timestamp
    /// The id of the key that posted the task; empty if the caller was authorized by its address.
    package var credential = ""
    package var dialect = TaskDialect.native
    package var target = TaskTarget()
    package var content = TaskContent()
    package var options = TaskOptions()
    /// Protocols without a provider when the task was accepted. Their limits were not checked.
    package var unprovided: Set<PushProtocol> = []
    /// Fields of the request that the dialect's report repeats.
    package var reported = JSONObject()

    package init(id: TaskID, app: AppID, created: Timestamp) {
        self.id = id
        self.app = app
        self.created = created
    }

    /// Time for the single attempt of a task with a time to live of zero.
    package static let timeOfOneAttempt = Duration.seconds(600)

    /// After the deadline nothing is sent, and open devices end as expired.
    package var deadline: Timestamp {
        created + (options.timeToLive > .zero ? options.timeToLive : PushTask.timeOfOneAttempt)
    }
}
