import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: receipts are counted once.
@Suite(.timeLimit(.minutes(5))) struct TaskReceiptTests {
    private let task = Samples.freshTask()

    /// Drops the type of the errors, which `#expect` does not accept.
    private struct Receipts {
        let receipts: any TaskReceipts

        func count(_ marks: [ReceiptMark], of task: TaskID, day: UInt16) async throws -> ReceiptCounts {
            try await receipts.count(marks, of: task, day: day)
        }

        func counts(of task: TaskID, days: ClosedRange<UInt16>) async throws -> ReceiptCounts {
            try await receipts.counts(of: task, days: days)
        }
    }

    private func withReceipts(
        _ kind: StoreKind, _ body: (_ receipts: Receipts, _ today: UInt16) async throws -> Void
    ) async throws {
        try await kind.withReceipts { (receipts, time) async throws in
            try await body(Receipts(receipts: receipts), ReceiptProof.day(of: time.now))
        }
    }

    private static func device(_ number: UInt32) -> DeviceID {
        DeviceID(index: DeviceIndex(rawValue: number), tag: number &* 0x9E37_79B9)
    }

    private static func marks(_ kind: ReceiptKind, _ numbers: Range<UInt32>) -> [ReceiptMark] {
        numbers.map { ReceiptMark(kind, of: device($0)) }
    }

    private static func counts(_ counts: [ReceiptKind: Int]) -> ReceiptCounts {
        counts.reduce(into: ReceiptCounts()) { $0[$1.key] = $1.value }
    }

    @Test(arguments: StoreKind.allCases)
    func aReceiptIsCountedOnce(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            #expect(try await receipts.counts(of: task, days: today...today) == ReceiptCounts())
            let first = Self.marks(.opened, 0..<500)
            #expect(try await receipts.count(first, of: task, day: today) == Self.counts([.opened: 500]))
            // A repeat beside new ones, and twice in one call.
            let second = Self.marks(.opened, 400..<510) + Self.marks(.opened, 505..<512) + Self.marks(.action, 0..<3)
            #expect(
                try await receipts.count(second, of: task, day: today) == Self.counts([.opened: 12, .action: 3]))
            #expect(try await receipts.count(first + second, of: task, day: today) == ReceiptCounts())
            let all = Self.counts([.opened: 512, .action: 3])
            #expect(try await receipts.counts(of: task, days: today...today) == all)
            #expect(try await receipts.count([], of: task, day: today) == ReceiptCounts())
        }
    }

    /// Method: a device reports every kind, in tasks that may share every key in the store.
    @Test(arguments: StoreKind.allCases)
    func tasksAndKindsAreCountedApart(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            let tasks = (0..<4).map { TaskID(high: task.high &+ $0, low: task.low) }
            for (number, task) in tasks.enumerated() {
                for kind in ReceiptKind.allCases.prefix(number + 1) {
                    let counted = try await receipts.count(
                        [ReceiptMark(kind, of: Self.device(1))], of: task, day: today)
                    #expect(counted == Self.counts([kind: 1]))
                }
            }
            for (number, task) in tasks.enumerated() {
                let kinds = ReceiptKind.allCases.prefix(number + 1)
                let expected = Self.counts(Dictionary(uniqueKeysWithValues: kinds.map { ($0, 1) }))
                #expect(try await receipts.counts(of: task, days: today...today) == expected)
            }
        }
    }

    /// A reader that does not know the day on which a task began asks for several.
    @Test(arguments: StoreKind.allCases)
    func theDayMayBeOneOfSeveral(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            _ = try await receipts.count(Self.marks(.dismissed, 0..<2), of: task, day: today - 20)
            let dismissed = Self.counts([.dismissed: 2])
            #expect(try await receipts.counts(of: task, days: today - 31...today) == dismissed)
            #expect(try await receipts.counts(of: task, days: today - 20...today - 20) == dismissed)
            #expect(try await receipts.counts(of: task, days: today - 19...today) == ReceiptCounts())
        }
    }

    /// Method: a task that began long ago, because a store may expire keys by a clock that the test does not control.
    @Test(arguments: StoreKind.allCases)
    func receiptsGoAfterTheirTime(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            _ = try await receipts.count(Self.marks(.opened, 0..<2), of: task, day: today - 31)
            #expect(try await receipts.counts(of: task, days: today - 31...today - 31)[.opened] == 2)
            let old = Samples.freshTask()
            _ = try await receipts.count(Self.marks(.opened, 0..<2), of: old, day: today - 32)
            #expect(try await receipts.counts(of: old, days: today - 32...today - 32) == ReceiptCounts())
        }
    }
}
