import PushModel
import ServiceKit
import TaskModel
import Topics

/// Delivery parameters shared by all variants of a task.
struct DeliveryTerms: Sendable {
    let priority: RenderedVariant.Priority
    /// A push replaces an earlier one with the same id on the screen.
    let collapseID: String
    let isCollapseIDChosen: Bool
    /// In seconds since 1970; zero for one attempt and no storage.
    let expiration: UInt32
    /// In seconds, for providers that count from receipt; zero as above.
    let timeToLive: Int

    /// `begins` is the start of the devices' own life, if it is not the task's.
    init(_ task: PushTask, begins: Timestamp?, now: Timestamp) throws(RenderingError) {
        if let chosen = task.options.collapseID {
            guard TaskOptions.isCollapseID(chosen) else {
                throw RenderingError("options.collapse_id", message: "expected \(TaskOptions.collapseIDRule)")
            }
        }
        priority = task.options.priority == .high ? .high : .normal
        collapseID = task.collapseID
        isCollapseIDChosen = task.options.collapseID != nil
        guard task.options.timeToLive > .zero else {
            expiration = 0
            timeToLive = 0
            return
        }
        let deadline = task.deadline(from: begins)
        // Never zero, which means one attempt.
        let seconds = max(1, (deadline.milliseconds + 999) / 1_000)
        expiration = UInt32(clamping: seconds)
        timeToLive = Int(max(1, (deadline - now).wholeMilliseconds / 1_000))
    }
}
