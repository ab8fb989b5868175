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

        let app = Samples.freshApp()

        func count(
            _ marks: [ReceiptMark], of task: TaskID, day: UInt16, places: [StatisticsPlace] = []
        ) async throws -> ReceiptCounts {
            try await receipts.count(marks, of: ReceiptTask(task, of: app, day: day, places: places))
        }

        func places(of task: TaskID, day: UInt16) async throws -> [StatisticsPlace]? {
            try await receipts.places(of: task, day: day)
        }

        func sums(
            _ dimension: StatisticsDimension, values: [String]? = nil, days: [UInt16]
        ) async throws -> [UInt16: [String: ReceiptCounts]] {
            try await receipts.sums(of: app, by: dimension, values: values, days: days).mapValues { values in
                Dictionary(uniqueKeysWithValues: values.map { (String(decoding: $0.key, as: UTF8.self), $0.value) })
            }.filter { !$0.value.isEmpty }
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
        numbers.map { ReceiptMark(kind, of: device($0), on: .android) }
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
                        [ReceiptMark(kind, of: Self.device(1), on: .ios)], of: task, day: today)
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

    /// Sums of an app's day grow with what is counted, and with nothing else.
    @Test(arguments: StoreKind.allCases)
    func whatIsCountedIsAddedToTheSumsOfTheDay(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            let label = StatisticsDimension.label(name: "campaign")
            let places = [
                StatisticsPlace(.dialect, value: "native"), StatisticsPlace(.topic, value: "news=1"),
                StatisticsPlace(.topic, value: "caf\u{E9}"), StatisticsPlace(label, value: "spring"),
            ]
            let marks =
                (0..<3).map { ReceiptMark(.opened, of: Self.device($0), on: .ios) }
                + [
                    ReceiptMark(.opened, of: Self.device(3), on: .web),
                    ReceiptMark(.dismissed, of: Self.device(4), on: .web),
                ]
            for _ in 0..<2 { _ = try await receipts.count(marks, of: task, day: today, places: places) }
            // Tasks in every part of the store, and one of another day.
            for number in 0..<UInt64(20) {
                let other = TaskID(high: task.high, low: task.low &+ number &+ 1)
                _ = try await receipts.count(Self.marks(.opened, 0..<1), of: other, day: today)
            }
            _ = try await receipts.count(Self.marks(.action, 0..<1), of: task, day: today - 1, places: places)

            let days = [today - 1, today]
            #expect(
                try await receipts.sums(.total, days: days) == [
                    today - 1: ["": Self.counts([.action: 1])],
                    today: ["": Self.counts([.opened: 24, .dismissed: 1])],
                ])
            #expect(
                try await receipts.sums(.platform, days: [today])[today] == [
                    "ios": Self.counts([.opened: 3]), "web": Self.counts([.opened: 1, .dismissed: 1]),
                    "android": Self.counts([.opened: 20]),
                ])
            let whole = Self.counts([.opened: 4, .dismissed: 1])
            #expect(try await receipts.sums(.dialect, days: [today])[today] == ["native": whole])
            #expect(try await receipts.sums(.topic, days: [today])[today] == ["news=1": whole, "caf\u{E9}": whole])
            #expect(try await receipts.sums(label, days: [today])[today] == ["spring": whole])
            #expect(
                try await receipts.sums(.topic, values: ["news=1", "cafe\u{301}"], days: days) == [
                    today - 1: ["news=1": Self.counts([.action: 1])], today: ["news=1": whole],
                ])
            #expect(
                try await receipts.sums(.platform, values: ["ios", "windows"], days: [today])[today]
                    == ["ios": Self.counts([.opened: 3])])
            #expect(try await receipts.sums(.label(name: "wave"), days: days) == [:])
            let other = Receipts(receipts: receipts.receipts)
            #expect(try await other.sums(.total, days: days) == [:])
        }
    }

    /// The first receipts of a task decide under what later ones count.
    @Test(arguments: StoreKind.allCases)
    func placesAreKeptWithTheFirstReceipts(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            #expect(try await receipts.places(of: task, day: today) == nil)
            let places = [
                StatisticsPlace(.dialect, value: "pushd"),
                StatisticsPlace(.topic, value: String(repeating: "t", count: 256)),
                StatisticsPlace(.label(name: "a"), value: "x"), StatisticsPlace(.label(name: "b"), value: ""),
            ]
            _ = try await receipts.count(Self.marks(.opened, 0..<1), of: task, day: today, places: places)
            _ = try await receipts.count(Self.marks(.opened, 1..<2), of: task, day: today)
            #expect(try await receipts.places(of: task, day: today) == places)
            #expect(try await receipts.places(of: task, day: today - 1) == nil)
        }
    }

    /// Values and names beyond the bounds of the statistics. Method: one task, as bounds may be those of a part.
    @Test(arguments: StoreKind.allCases)
    func theSumsAreBounded(_ kind: StoreKind) async throws {
        try await withReceipts(kind) { (receipts, today) async throws in
            let topics = (0..<StatisticsBounds.valuesMaximum + 50).map { StatisticsPlace(.topic, value: "t\($0)") }
            for (number, part) in topics.chunks(of: 50).enumerated() {
                let mark = Self.marks(.opened, UInt32(number)..<UInt32(number) + 1)
                _ = try await receipts.count(mark, of: task, day: today, places: Array(part))
            }
            let sums = try await receipts.sums(.topic, days: [today])[today] ?? [:]
            #expect(sums.count == StatisticsBounds.valuesMaximum + 1)
            #expect(sums[StatisticsBounds.other] == Self.counts([.opened: 50]))
            let names = (0..<StatisticsBounds.labelNamesMaximum + 1).map { "name\($0)" }
            for (number, name) in names.enumerated() {
                let mark = Self.marks(.dismissed, UInt32(number)..<UInt32(number) + 1)
                _ = try await receipts.count(
                    mark, of: task, day: today, places: [StatisticsPlace(.label(name: name), value: "v")])
            }
            #expect(try await receipts.sums(.label(name: names[0]), days: [today])[today]?.count == 1)
            #expect(try await receipts.sums(.label(name: names.last ?? ""), days: [today]) == [:])
        }
    }
}
