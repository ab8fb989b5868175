package import PushModel

/// The target of a task: the devices of the audience and those on the list, each once.
package struct TaskTarget: Sendable, Hashable {
    package var audience: Audience?
    package var list = TargetList.entries([])

    package init() {}
}

package enum TargetList: Sendable, Hashable {
    /// Short enough for the message of the task.
    case entries([TargetEntry])
    /// In separate messages, which are sent before the task and have no effect without it.
    case parts(count: Int, entries: Int)

    /// A list of at most this many entries may be resolved immediately, so its parts precede the task on `tasks`. The
    /// jobs of a longer list wait for their parts, which are sent on `lists`.
    package static let atOnceMaximum = 1_000

    /// Entries in one message, of a task or a part, so that it stays within the message limit of the bus.
    package static let entriesMaximum = ContentNumber.placesMaximum

    package var partCount: Int {
        switch self {
        case .entries(let entries): entries.isEmpty ? 0 : 1
        case .parts(let count, _): count
        }
    }

    /// Messages of its own; a short list is part of the task's.
    package var messageCount: Int {
        guard case .parts(let count, _) = self else { return 0 }
        return count
    }

    package var entryCount: Int {
        switch self {
        case .entries(let entries): entries.count
        case .parts(_, let entries): entries
        }
    }
}

/// One entry of a list. A user may have several devices.
package enum TargetEntry: Sendable, Hashable {
    case device(DeviceID)
    case alias(Alias)
    case token(PushToken)
}
