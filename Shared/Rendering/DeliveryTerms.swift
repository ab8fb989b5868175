import PushModel
import ServiceKit
import TaskModel
import Topics

/// Delivery parameters shared by all variants of a task for one platform.
struct DeliveryTerms: Sendable {
    private let audiblePriority: RenderedVariant.Priority
    private let silentPriority: RenderedVariant.Priority
    /// A push replaces an earlier one with the same id on the screen.
    let collapseID: String
    let isCollapseIDChosen: Bool
    /// In seconds since 1970; zero for one attempt and no storage.
    let expiration: UInt32
    /// In seconds, for providers that count from receipt; zero as above.
    let timeToLive: Int

    /// `begins` is the start of the devices' own life, if it is not the task's.
    init(_ task: PushTask, platform: Platform, begins: Timestamp?, now: Timestamp) throws(RenderingError) {
        if let chosen = task.options.collapseID {
            guard TaskOptions.isCollapseID(chosen) else {
                throw RenderingError("options.collapse_id", message: "expected \(TaskOptions.collapseIDRule)")
            }
        }
        let own = task.content.delivery(on: platform)
        let chosen = own.priority ?? task.options.priority
        audiblePriority = chosen == .high ? .high : .normal
        // Google lowers the priority of apps whose urgent pushes show nothing, so only the publisher asks for it.
        let isSilent = task.content.payloads[platform] == nil && task.content.message(for: platform)?.isSilent == true
        silentPriority = isSilent && own.priority == .high ? .high : .normal
        collapseID = own.collapseID ?? task.collapseID
        isCollapseIDChosen = own.collapseID != nil || task.options.collapseID != nil
        guard task.timeToLive(on: platform) > .zero else {
            expiration = 0
            timeToLive = 0
            return
        }
        let deadline = task.deadline(on: platform, from: begins)
        // Never zero, which means one attempt.
        let seconds = max(1, (deadline.milliseconds + 999) / 1_000)
        expiration = UInt32(clamping: seconds)
        timeToLive = Int(max(1, (deadline - now).wholeMilliseconds / 1_000))
    }

    /// Silent devices of a message for others have low priority.
    func priority(isSilent: Bool) -> RenderedVariant.Priority { isSilent ? silentPriority : audiblePriority }
}
