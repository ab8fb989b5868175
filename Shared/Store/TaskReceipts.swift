package import PushModel
package import ServiceKit

/// What devices reported about the pushes of tasks, counted once: by task, and by the app's day for the statistics.
package protocol TaskReceipts: Sendable {
    /// Counts each kind of receipt once for each device of the task, and returns what it counted. The same is added, in
    /// one step, to the sums of the app's day: to its total, to the platforms of the receipts, and to the places of the
    /// task. Throws `full` if the store is.
    func count(_ receipts: [ReceiptMark], of task: ReceiptTask) async throws(StoreError) -> ReceiptCounts
    /// The counts of a task whose life began on one of these days.
    func counts(of task: TaskID, days: ClosedRange<UInt16>) async throws(StoreError) -> ReceiptCounts
    /// The places under which the task's first receipts were counted; nil if it has none yet.
    func places(of task: TaskID, day: UInt16) async throws(StoreError) -> [StatisticsPlace]?
    /// The sums of these days by value, which is in bytes, for these values, at least one, or for all. Bounded
    /// like the statistics of tasks, but for receipts alone; kept as long as those.
    func sums(
        of app: AppID, by dimension: StatisticsDimension, values: [String]?, days: [UInt16]
    ) async throws(StoreError) -> [UInt16: [[UInt8]: ReceiptCounts]]
}

/// A task of which receipts are counted.
package struct ReceiptTask: Hashable, Sendable {
    package let task: TaskID
    package let app: AppID
    /// On which its life began. Everything about it is kept until 31 days after.
    package let day: UInt16
    package let places: [StatisticsPlace]

    package init(_ task: TaskID, of app: AppID, day: UInt16, places: [StatisticsPlace]) {
        self.task = task
        self.app = app
        self.day = day
        self.places = places
    }
}

package enum TaskReceiptBounds {
    /// A receipt is accepted so many days after that on which its task began.
    package static let daysAccepted: UInt16 = 30
    package static let daysKept = 31

    package static func firstDayKept(at now: Timestamp) -> UInt16 {
        let today = ReceiptProof.day(of: now)
        return today - min(today, UInt16(daysKept))
    }

    /// When everything about the tasks of this day expires.
    package static func end(of day: UInt16) -> Timestamp {
        ReceiptProof.begin(of: day) + .seconds((1 + daysKept) * 86_400)
    }
}

/// What is remembered of a receipt.
package struct ReceiptMark: Hashable, Sendable {
    package let device: DeviceID
    package let kind: ReceiptKind
    /// For the statistics; a device has one.
    package let platform: Platform

    package init(_ kind: ReceiptKind, of device: DeviceID, on platform: Platform) {
        self.kind = kind
        self.device = device
        self.platform = platform
    }

    /// 64 bits of task, device and kind. It needs no key: a device has proofs for its own receipts only, so it cannot
    /// choose what a fingerprint is made of.
    package func fingerprint(in task: TaskID) -> UInt64 {
        let own = UInt64(device.index.rawValue) << 32 | UInt64(device.tag)
        return SplitMix64.mixed(
            SplitMix64.mixed(task.high ^ SplitMix64.mixed(task.low)) ^ SplitMix64.mixed(own) &+ UInt64(kind.rawValue))
    }
}

/// Devices by what they reported.
package struct ReceiptCounts: Hashable, Sendable {
    private var counts: [ReceiptKind: Int] = [:]

    package init() {}

    package subscript(kind: ReceiptKind) -> Int {
        get { counts[kind] ?? 0 }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    package static func + (left: ReceiptCounts, right: ReceiptCounts) -> ReceiptCounts {
        ReceiptKind.allCases.reduce(into: left) { $0[$1] += right[$1] }
    }

    package static func += (left: inout ReceiptCounts, right: ReceiptCounts) { left = left + right }

    package var total: Int { counts.values.reduce(0, +) }
}
