import PushModel
import ServiceKit
import TaskModel
import Topics

/// The data of a task that resolving needs.
struct ResolutionInput: Sendable {
    let task: TaskID
    let app: AppID
    let audience: Audience?
    let list: TargetList
    let providers: ProviderFilter
    /// The type of the Live Activity that the task starts: devices with a token for it belong to the task, whatever
    /// their protocol.
    let startedType: ActivityType?
    let hasListedContents: Bool
    let rules: DeliveryRules
    let isWithdrawn: Bool
    let begins: Timestamp
    let deadline: Timestamp

    init(_ task: PushTask) {
        self.task = task.id
        app = task.app
        audience = task.target.audience
        list = task.target.list
        providers = task.hasListedContents ? ProviderFilter(task.targetedPlatforms) : ProviderFilter(task.content)
        startedType = task.content.startedType
        hasListedContents = task.hasListedContents
        rules = task.rules
        isWithdrawn = task.isWithdrawn
        begins = task.begins
        deadline = task.deadline
    }
}
