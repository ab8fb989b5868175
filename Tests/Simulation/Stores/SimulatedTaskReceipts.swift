import PushModel
import ServiceKit
import Store

struct SimulatedTaskReceipts: TaskReceipts {
    let base: any TaskReceipts
    let seam: Seam

    func count(_ receipts: [ReceiptMark], of task: ReceiptTask) async throws(StoreError) -> ReceiptCounts {
        if seam.world.bug == .receiptForgotten, seam.chance(20) { return ReceiptCounts() }
        return try await seam.call("receipts.count") { try await base.count(receipts, of: task) }
    }

    func counts(of task: TaskID, days: ClosedRange<UInt16>) async throws(StoreError) -> ReceiptCounts {
        try await seam.call("receipts.counts") { try await base.counts(of: task, days: days) }
    }

    func places(of task: TaskID, day: UInt16) async throws(StoreError) -> [StatisticsPlace]? {
        try await seam.call("receipts.places") { try await base.places(of: task, day: day) }
    }

    func sums(
        of app: AppID, by dimension: StatisticsDimension, values: [String]?, days: [UInt16]
    ) async throws(StoreError) -> [UInt16: [[UInt8]: ReceiptCounts]] {
        try await seam.call("receipts.sums") {
            try await base.sums(of: app, by: dimension, values: values, days: days)
        }
    }
}
