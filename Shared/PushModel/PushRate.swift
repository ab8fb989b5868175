/// How many pushes a task, a group of an app's tasks, or an app with all its tasks sends in a second, over all processes
/// together.
package struct PushRate: Hashable, Sendable {
    package enum Scope: Hashable, Sendable {
        case task(TaskID)
        case group(AppID, Int64)
        case app(AppID)
    }

    package static let allowed = 1...1_000_000

    package let scope: Scope
    package let perSecond: Int

    package init(_ perSecond: Int, of scope: Scope) {
        precondition(PushRate.allowed ~= perSecond, "a rate is within its allowed range")
        self.scope = scope
        self.perSecond = perSecond
    }
}
