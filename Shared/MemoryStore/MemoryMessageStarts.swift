package import ServiceKit
package import Store
import Synchronization

/// Start counts in memory.
package final class MemoryMessageStarts: MessageStarts, Revertible {
    private struct Record {
        var owner: String?
        /// The owners that started each message.
        var starters: [Int64: Set<String>] = [:]
        var until: Timestamp

        func others(_ offset: Int64, than owner: String) -> Set<String> {
            starters[offset, default: []].subtracting([owner])
        }

        mutating func giveBack(_ offsets: [Int64], owner: String) {
            for offset in offsets {
                let left = others(offset, than: owner)
                starters[offset] = left.isEmpty ? nil : left
            }
        }
    }

    private let time: any TimeSource
    private let records = Mutex<[ConsumedPartition: Record]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func open(_ partition: ConsumedPartition, owner: String) -> Bool {
        change(partition, keepsIt: true) { record in
            let previous = record.owner
            record.owner = owner
            return !record.starters.isEmpty || (previous != nil && previous != owner)
        }
    }

    package func begin(_ offsets: [Int64], of partition: ConsumedPartition, owner: String, regardless: Bool) -> [Int] {
        change(partition, keepsIt: true) { record in
            let counts = offsets.map { record.others($0, than: owner).count }
            if regardless || counts.allSatisfy({ $0 == 0 }) {
                for (offset, count) in zip(offsets, counts) where count < MessageStartsBounds.startsMaximum {
                    record.starters[offset, default: []].insert(owner)
                }
            }
            return counts
        }
    }

    package func end(_ offsets: [Int64], of partition: ConsumedPartition) {
        change(partition) { record in
            for offset in offsets { record.starters[offset] = nil }
        }
    }

    package func giveBack(_ offsets: [Int64], of partition: ConsumedPartition, owner: String) {
        change(partition) { $0.giveBack(offsets, owner: owner) }
    }

    package func close(_ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]) {
        change(partition) { record in
            record.giveBack(offsets, owner: owner)
            if record.owner == owner { record.owner = nil }
        }
    }

    private func change<Result>(
        _ partition: ConsumedPartition, keepsIt: Bool = false, body: (inout Record) -> Result
    ) -> Result {
        let now = time.now
        return records.withLock { records in
            var record = records[partition].flatMap { now < $0.until ? $0 : nil } ?? Record(until: now)
            if keepsIt { record.until = now + MessageStartsBounds.memory }
            let result = body(&record)
            records[partition] = record
            return result
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = records.withLock { $0 }
        return { self.records.withLock { $0 = saved } }
    }
}
