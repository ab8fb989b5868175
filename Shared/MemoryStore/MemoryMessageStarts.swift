package import ServiceKit
package import Store
import Synchronization

/// Start counts in memory.
package final class MemoryMessageStarts: MessageStarts, Revertible {
    private struct Record {
        var owner: String?
        var counts: [Int64: Int] = [:]
        var until: Timestamp

        mutating func giveBack(_ offsets: [Int64]) {
            for offset in offsets {
                guard let count = counts[offset] else { continue }
                counts[offset] = count > 1 ? count - 1 : nil
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
            return !record.counts.isEmpty || (previous != nil && previous != owner)
        }
    }

    package func begin(_ offsets: [Int64], of partition: ConsumedPartition, regardless: Bool) -> [Int] {
        change(partition, keepsIt: true) { record in
            let counts = offsets.map { record.counts[$0] ?? 0 }
            if regardless || counts.allSatisfy({ $0 == 0 }) {
                for offset in offsets { record.counts[offset, default: 0] += 1 }
            }
            return counts
        }
    }

    package func end(_ offsets: [Int64], of partition: ConsumedPartition) {
        change(partition) { record in
            for offset in offsets { record.counts[offset] = nil }
        }
    }

    package func giveBack(_ offsets: [Int64], of partition: ConsumedPartition) {
        change(partition) { $0.giveBack(offsets) }
    }

    package func close(_ partition: ConsumedPartition, owner: String, givingBack offsets: [Int64]) {
        change(partition) { record in
            record.giveBack(offsets)
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
