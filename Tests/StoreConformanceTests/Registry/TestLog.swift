import PushModel
import ServiceKit
import Store

/// A log with an immediate projector: an append is applied before it returns. For one writer at a time, because appends
/// that overtake each other would be skipped.
final class TestLog: RegistryJournal {
    private let entries = Monitor<[LoggedChange]>([])
    private let projection: any RegistryProjection

    init(projection: any RegistryProjection) {
        self.projection = projection
    }

    var changes: [LoggedChange] { entries.withLock { $0 } }

    /// The last change of each subject, as compaction leaves them.
    var compacted: [LoggedChange] {
        var last: [Subject: LoggedChange] = [:]
        for entry in changes { last[Subject(entry.change)] = entry }
        return last.values.sorted { $0.offset < $1.offset }
    }

    func commit(_ changes: [RegistryChange]) async throws(StoreError) {
        let appended = entries.withLock { entries in
            let appended = changes.enumerated().map { position, change in
                LoggedChange(offset: Int64(entries.count + position), change)
            }
            entries += appended
            return appended
        }
        try await projection.apply(appended)
    }

    private struct Subject: Hashable {
        let index: DeviceIndex
        let aspect: String

        init(_ change: RegistryChange) {
            index = change.index
            switch change.content {
            case .device: aspect = "device"
            case .purge(let topic): aspect = "purge \(Array(topic.text.utf8))"
            case .count(let topic, _): aspect = "count \(Array(topic.text.utf8))"
            case .badge: aspect = "badge"
            case .audience(let name, _): aspect = "audience \(name)"
            case .group(let group): aspect = "group \(group.id)"
            case .transfer(let id, _): aspect = "transfer \(id)"
            case .activity(let fact, _): aspect = "activity \(fact.kind) \(Array(fact.activity.text.utf8))"
            case .subscription(let topic, _): aspect = "topic \(Array(topic.text.utf8))"
            }
        }
    }
}
