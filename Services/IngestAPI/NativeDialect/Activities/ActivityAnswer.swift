import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Live Activities in the native API's form.
enum ActivityAnswer {
    static func text(of activity: KnownActivity, clock: ActivityClock, at now: Timestamp) -> String {
        JSONText.object { json in
            json.member("id", activity.id.text)
            json.member("type", json: activity.base.type.map { JSONText.quoted($0.text) } ?? "null")
            json.member("state", activity.hasEnded ? "ended" : "running")
            json.member("started", activity.base.isStarted)
            json.member("updates", activity.base.feed.rawValue)
            json.member("mirror", activity.base.isMirrored)
            json.member("attributes", json: JSON.object(activity.base.attributes).compactText)
            json.member("begun", "\(activity.begun)")
            json.member("changed", "\(activity.changed)")
            json.member("ended", json: activity.ended.map { JSONText.quoted("\($0)") } ?? "null")
            write(activity.newest, to: &json)
            json.member(
                "publications", json: "[" + clock.publications.map { text(of: $0) }.joined(separator: ",") + "]")
            json.member("pending", json: clock.pending.map { text(of: $0) } ?? "null")
            json.member("urgent_this_hour", clock.urgentCount(at: now))
        }
    }

    static func outline(of activity: KnownActivity) -> String {
        JSONText.object { json in
            json.member("id", activity.id.text)
            json.member("type", json: activity.base.type.map { JSONText.quoted($0.text) } ?? "null")
            json.member("state", activity.hasEnded ? "ended" : "running")
            json.member("begun", "\(activity.begun)")
            json.member("changed", "\(activity.changed)")
        }
    }

    private static func write(_ state: ActivityState?, to json: inout JSONText) {
        json.member("content_state", json: state.map { JSON.object($0.contentState).compactText } ?? "null")
        json.member("stale_date", json: moment(state?.staleDate))
        json.member("dismissal_date", json: moment(state?.dismissalDate))
    }

    private static func text(of publication: ActivityClock.Publication) -> String {
        JSONText.object { json in
            json.member("task", "\(publication.task)")
            json.member("timestamp", Int(publication.timestamp))
            json.member("priority", publication.isUrgent ? "high" : "normal")
        }
    }

    private static func text(of pending: ActivityClock.Pending) -> String {
        JSONText.object { json in
            json.member("task", "\(pending.task)")
            json.member("due", "\(pending.due)")
        }
    }

    private static func moment(_ seconds: Int64?) -> String {
        seconds.map { JSONText.quoted("\(Timestamp(milliseconds: $0 * 1_000))") } ?? "null"
    }
}
