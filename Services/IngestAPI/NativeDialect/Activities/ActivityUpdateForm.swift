import JSONKit
import PushModel
import ServiceKit
import TaskKit
import TaskModel

/// An update or the end of a Live Activity in the native API.
struct ActivityUpdateForm: Sendable {
    private let contentState: JSONObject?
    private let staleDate: Int64?
    private let dismissalDate: Int64?
    private let relevance: Double?
    private let alert: JSONObject?
    private let isUrgent: Bool

    /// An end without a state keeps the last one. Errors are added to the problems of the fields.
    init(_ fields: JSONFields, isEnd: Bool) {
        fields.allow(ActivityFields.ofState + ["priority"] + (isEnd ? ["dismissal_date"] : []))
        let state = ActivityFields(fields: fields)
        contentState = state.contentState(isRequired: !isEnd)
        staleDate = state.staleDate()
        dismissalDate = isEnd ? state.dismissalDate() : nil
        relevance = state.relevance()
        alert = state.alert(isRequired: false)
        let priority = fields.text("priority", expected: "high or normal") { TaskOptions.Priority(rawValue: $0) }
        isUrgent = priority.map { $0 == .high } ?? (alert != nil)
        fields.rejectUnknown()
    }

    func state(of known: KnownActivity, stamp: TaskID) -> ActivityState {
        var state = ActivityState(
            stamp: stamp, contentState: contentState ?? known.newest?.contentState ?? JSONObject())
        state.staleDate = staleDate
        state.dismissalDate = dismissalDate
        state.relevance = relevance
        state.alert = alert
        state.isUrgent = isUrgent
        return state
    }
}
