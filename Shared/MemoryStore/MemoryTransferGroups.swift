import Store

/// The groups of one app.
struct MemoryTransferGroups {
    private(set) var all: [Int64: TransferGroup] = [:]
    /// Groups that are being saved: with a journal, others may decide before the change is applied.
    private var pending: [Int64: TransferGroup] = [:]

    mutating func reserve(_ group: TransferGroup) -> TransferGroupVerdict {
        let others = Array(all.values) + Array(pending.values)
        let isTaken = others.contains { $0.id != group.id && !$0.isArchived && $0.hasName(group.name) }
        guard group.isArchived || !isTaken else { return .nameTaken }
        guard all[group.id] != nil || all.count < TransferGroupBounds.countMaximum else { return .tooMany }
        pending[group.id] = group
        return .saved
    }

    /// Without effect for a group that was refused, or whose reservation was replaced.
    mutating func release(_ group: TransferGroup) {
        if pending[group.id] == group { pending[group.id] = nil }
    }

    mutating func save(_ group: TransferGroup) {
        all[group.id] = group
    }
}
