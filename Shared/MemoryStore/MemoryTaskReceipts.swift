package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// The receipts in memory.
package final class MemoryTaskReceipts: TaskReceipts {
    private struct Key: Hashable {
        let task: TaskID
        let day: UInt16
    }

    private let time: any TimeSource
    private let marks = Mutex<[Key: Set<ReceiptMark>]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func count(_ receipts: [ReceiptMark], of task: TaskID, day: UInt16) -> ReceiptCounts {
        marks.withLock { marks in
            receipts.reduce(into: ReceiptCounts()) { counted, mark in
                let isNew = marks[Key(task: task, day: day), default: []].insert(mark).inserted
                if isNew { counted[mark.kind] += 1 }
            }
        }
    }

    package func counts(of task: TaskID, days: ClosedRange<UInt16>) -> ReceiptCounts {
        let now = time.now
        return marks.withLock { marks in
            marks = marks.filter { now < TaskReceiptBounds.end(of: $0.key.day) }
            return days.reduce(into: ReceiptCounts()) { counts, day in
                for mark in marks[Key(task: task, day: day)] ?? [] { counts[mark.kind] += 1 }
            }
        }
    }
}
