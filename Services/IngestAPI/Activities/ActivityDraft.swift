import JSONKit
import PushModel
import ServiceKit
import TaskKit
import TaskModel

/// A Live Activity to be started, as a request of any dialect describes it.
struct ActivityDraft: Sendable, Equatable {
    /// Completes a start in a dialect: where the app finds the id of the activity among its attributes.
    enum Identity: String, Sendable {
        case carillon
        case pushwoosh
    }

    static let idMember = "activityId"

    var id: ActivityID
    var type: ActivityType
    var attributes = JSONObject()
    var identity = Identity.carillon
    var contentState: JSONObject
    var staleDate: Int64?
    var relevance: Double?
    /// Apple starts no activity without one.
    var alert: JSONObject
    /// Of devices on which no activity can be started; nil for none.
    var fallback: PushMessage?
    /// The platforms of the fallback.
    var fallbackPlatforms: Set<Platform> = [.ios]
    var feed = ActivityBase.Feed.tokens
    var isMirrored = false
    /// Whom it is for, and how it is delivered.
    var target = TaskDraft()

    /// `timestamp` is that of its task.
    func base(stamp: TaskID, timestamp: Int64) -> ActivityBase {
        var base = ActivityBase()
        base.start = ActivityBase.Start(stamp: stamp, timestamp: timestamp)
        base.type = type
        base.attributes = attributes
        base.isStarted = true
        base.dialect = target.dialect
        base.feed = feed
        base.isMirrored = isMirrored
        if isMirrored {
            base.audience = target.audience
            base.entries = target.entries
        }
        return base
    }

    func state(stamp: TaskID) -> ActivityState {
        var state = ActivityState(stamp: stamp, contentState: contentState)
        state.staleDate = staleDate
        state.relevance = relevance
        return state
    }

    /// The task that starts it. `timestamp` is in seconds since 1970.
    func task(timestamp: Int64) -> TaskDraft {
        var draft = target
        var attributes = attributes
        attributes[identity.rawValue] = .object(JSONObject([(ActivityDraft.idMember, .string(id.text))]))
        var content = ActivityContent(.start, of: id)
        content.type = type
        content.feed = feed
        content.timestamp = timestamp
        var members = JSONObject([
            ("attributes-type", .string(type.text)), ("attributes", .object(attributes)),
            ("content-state", .object(contentState)), ("alert", .object(alert)),
        ])
        members["stale-date"] = staleDate.map { .integer($0) }
        members["relevance-score"] = relevance.map { .number($0) }
        content.members = members
        draft.content.activity = content
        if let fallback {
            draft.content.message = fallback
            draft.content.platforms = fallbackPlatforms
        }
        if isMirrored {
            let data = MirroredState.message(of: id, event: .start, timestamp: timestamp, state: contentState)
            for platform in MirroredState.platforms where draft.content.messages[platform] == nil {
                draft.content.messages[platform] = data
            }
        }
        return draft
    }
}
