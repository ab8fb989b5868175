package import PushModel

/// Who is meant: everybody the audience holds and everybody on the list, each once.
package struct TaskTarget: Sendable, Hashable {
    package var audience: Audience?
    package var list = TargetList.entries([])

    package init() {}
}

package enum TargetList: Sendable, Hashable {
    /// Few enough to travel with the task.
    case entries([TargetEntry])
    /// In messages of their own, which are sent before the task's and mean nothing without it.
    case parts(count: Int, entries: Int)

    /// A list of at most so many entries may be resolved at once, for which its parts must be there: they come before the
    /// task on `tasks`. The jobs of a longer list wait for their parts, which come on `lists`.
    package static let atOnceMaximum = 1_000

    /// Of one message, be it the task's or a part's, which then stays within what the bus carries.
    package static let entriesMaximum = 400

    package var partCount: Int {
        switch self {
        case .entries(let entries): entries.isEmpty ? 0 : 1
        case .parts(let count, _): count
        }
    }

    package var entryCount: Int {
        switch self {
        case .entries(let entries): entries.count
        case .parts(_, let entries): entries
        }
    }
}

/// One name on a list. A user may have several devices.
package enum TargetEntry: Sendable, Hashable {
    case device(DeviceID)
    case alias(Alias)
    case token(PushToken)
}
