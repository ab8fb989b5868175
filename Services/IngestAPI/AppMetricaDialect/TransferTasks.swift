import Apps
import PushModel
import ServiceKit
import Signing
import Store
import TaskModel

/// The tasks of one transfer.
struct TransferTasks: Sendable {
    let transfer: Transfer
    let group: TransferGroup
    let outline: BatchOutline
    /// Of all elements; empty if their contents are in the parts of the lists.
    let content: TaskContent

    /// Without their lists, which are cut later.
    func tasks(of caller: AuthorizedCaller) -> [PushTask] {
        transfer.tasks.map { draft.task($0, of: caller, created: transfer.created) }
    }

    /// Also renders one content, to check whether providers would accept it.
    func draft(_ content: TaskContent) -> TaskDraft {
        var draft = self.draft
        draft.content = content
        draft.hasListedContents = false
        return draft
    }

    private var draft: TaskDraft {
        var draft = TaskDraft()
        draft.dialect = .appmetrica
        draft.content = content
        draft.hasListedContents = !outline.isUniform
        if draft.hasListedContents { draft.content.platforms = outline.platforms }
        draft.options.timeToLive = outline.timeToLive
        draft.timing.group = GroupRate(id: group.id, perSecond: group.rate)
        draft.labels["group"] = String(group.id)
        draft.labels["tag"] = TransferTasks.label(outline.tag)
        draft.labels["transfer"] = String(transfer.id)
        return draft
    }

    /// A tag may be longer than a label.
    private static func label(_ tag: String) -> String {
        var kept = Substring(tag.unicodeScalars.prefix(TaskLabels.valueBytesMaximum))
        while kept.utf8.count > TaskLabels.valueBytesMaximum { kept.unicodeScalars.removeLast() }
        return String(kept)
    }
}

extension Transfer {
    /// The transfer of a new request. With a client id it is derived from the request, so that a repeat has the same.
    init(
        _ outline: BatchOutline, fingerprint: [UInt8], app: AppID, created: Timestamp, random: any RandomSource
    ) {
        let seed = Transfer.seed(outline, fingerprint: fingerprint, app: app, created: created, random: random)
        let number = SHA256.digest(of: seed.id.bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.init(
            id: number % (TransferBounds.ids.upperBound - 1) + 1, group: outline.group, clientID: outline.clientID,
            tag: outline.tag, created: created, fingerprint: fingerprint,
            tasks: outline.failures.isEmpty ? outline.taskIDCounts.indices.map { seed.id(at: $0) } : [],
            errors: outline.failures)
    }

    private static func seed(
        _ outline: BatchOutline, fingerprint: [UInt8], app: AppID, created: Timestamp, random: any RandomSource
    ) -> TaskSeed {
        guard let clientID = outline.clientID else { return TaskSeed(created: created, random: random) }
        let name = "\(app)\u{0}appmetrica\u{0}\(outline.group)\u{0}\(clientID)"
        return TaskSeed(
            IdempotentRequest(key: SHA256.digest(of: Array(name.utf8)), fingerprint: fingerprint, holder: 0),
            start: RequestStart(began: created, accepted: created))
    }
}
