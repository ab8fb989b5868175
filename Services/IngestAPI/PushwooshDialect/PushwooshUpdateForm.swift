import JSONKit
import PushModel
import ServiceKit
import TaskKit
import TaskModel

/// A notification of `updateLiveActivity`.
struct PushwooshUpdateForm: Sendable {
    let activity: ActivityID
    let isEnd: Bool
    private let contentState: JSONObject
    private let staleDate: Int64?
    private let dismissalDate: Int64?

    /// Nil if there are errors, which are added to the problems of the fields.
    init?(_ fields: JSONFields) {
        fields.allow(["live_activity", "live_activity_id"])
        let id = fields.text("live_activity_id", expected: ActivityID.rule, isRequired: true) { try? ActivityID($0) }
        let given = fields.object("live_activity", isRequired: true)
        given?.allow(["event", "content-state", "dismissal-date", "stale-date"])
        let isEnd = given?.text(
            "event", expected: "update or end", isRequired: true, convert: PushwooshUpdateForm.isEnd)
        let state = given?.activityObject("content-state")
        staleDate = given?.seconds("stale-date")
        dismissalDate = given?.seconds("dismissal-date")
        given?.rejectUnknown()
        fields.rejectUnknown()
        guard fields.problems.all.isEmpty, let id, let isEnd, let state else { return nil }
        activity = id
        self.isEnd = isEnd
        contentState = state
    }

    private static func isEnd(_ event: String) -> Bool? {
        switch event {
        case "update": false
        case "end": true
        default: nil
        }
    }

    /// Pushwoosh's clients name the date in updates too; a phone looks at that of the end.
    func state(of known: KnownActivity, stamp: TaskID) -> ActivityState {
        var state = ActivityState(stamp: stamp, contentState: contentState)
        state.staleDate = staleDate
        state.dismissalDate = isEnd ? dismissalDate : nil
        return state
    }
}
