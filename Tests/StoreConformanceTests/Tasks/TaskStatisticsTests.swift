import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the sums of closed tasks.
@Suite(.timeLimit(.minutes(5))) struct TaskStatisticsTests {
    private static let day = Duration.seconds(86_400)

    private struct Scene {
        let statistics: any TaskStatistics
        let time: ManualTimeSource
        let app = Samples.freshApp()

        /// The beginning of today.
        var today: Timestamp { StatisticsInterval.day.start(of: time.now) }

        func task(
            _ id: TaskID = Samples.freshTask(), begins: Timestamp? = nil, closed: Timestamp? = nil,
            parts: [CountedTask.Part] = [], delivered: Int = 3
        ) -> CountedTask {
            let total = CountedTask.Part(.total, value: "", outcomes: TaskStatisticsTests.outcomes(delivered))
            return CountedTask(
                id, of: app, begins: begins ?? time.now, closed: closed ?? time.now, parts: [total] + parts)
        }

        func fold(_ task: CountedTask) async throws -> Bool {
            try await statistics.fold(task)
        }

        func read(
            _ dimension: StatisticsDimension = .total, _ interval: StatisticsInterval = .day, from: Timestamp? = nil,
            to: Timestamp? = nil, values: [String]? = nil, rowsMaximum: Int = 10_000
        ) async throws -> StatisticsPage {
            try await statistics.read(
                StatisticsSelection(
                    of: app, by: dimension, values: values, interval: interval, from: from ?? today + (.zero - day),
                    to: to ?? today + day + day, rowsMaximum: rowsMaximum))
        }
    }

    private static func outcomes(_ delivered: Int) -> OutcomeCounts {
        OutcomeCounts { $0 == .delivered ? delivered : $0 == .unknown ? 1 : 0 }
    }

    private static func sums(_ tasks: Int, _ delivered: Int) -> StatisticsSums {
        var sums = StatisticsSums()
        for task in 0..<tasks { sums.add(outcomes(task == 0 ? delivered : 0)) }
        return sums
    }

    private func run(_ kind: StoreKind, _ body: (Scene) async throws -> Void) async throws {
        // Redis expires keys by its own clock. Noon, so that hours before and after are of the same day.
        let today = StatisticsInterval.day.start(of: SystemTimeSource().now)
        try await kind.withStatistics(time: ManualTimeSource(now: today + .seconds(43_200))) {
            (statistics, time) async throws in
            try await body(Scene(statistics: statistics, time: time))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aTaskIsAddedOnceToEachOfItsSums(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let label = StatisticsDimension.label(name: "campaign")
            let parts = [
                CountedTask.Part(.dialect, value: "native", outcomes: Self.outcomes(3)),
                CountedTask.Part(.platform, value: "ios", outcomes: Self.outcomes(2)),
                CountedTask.Part(.platform, value: "unknown", outcomes: Self.outcomes(1)),
                CountedTask.Part(.topic, value: "news=1", outcomes: Self.outcomes(3)),
                CountedTask.Part(label, value: "spring", outcomes: Self.outcomes(3)),
            ]
            let task = scene.task(parts: parts)
            #expect(try await scene.fold(task))
            #expect(try await !scene.fold(task))
            #expect(try await scene.fold(scene.task(delivered: 0)))
            for interval in [StatisticsInterval.day, .hour] {
                let start = interval.start(of: scene.time.now)
                let total = try await scene.read(.total, interval)
                #expect(total.rows == [StatisticsRow(time: start, value: "", sums: Self.sums(2, 3))])
                #expect(total.next == nil)
                let platforms = try await scene.read(.platform, interval)
                #expect(platforms.rows.map(\.value) == ["ios", "unknown"])
                #expect(platforms.rows.map { $0.sums.outcomes[.delivered] } == [2, 1])
                for (dimension, value) in [(.dialect, "native"), (.topic, "news=1"), (label, "spring")] {
                    let page = try await scene.read(dimension, interval)
                    #expect(page.rows == [StatisticsRow(time: start, value: value, sums: Self.sums(1, 3))])
                }
            }
            #expect(try await scene.read(.label(name: "wave")).rows.isEmpty)
        }
    }

    /// Goal: the values that are asked for are read, and no others. Method: a dimension in a hash of its own, and one
    /// that shares a hash.
    @Test(arguments: StoreKind.allCases)
    func someValuesAreRead(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let label = StatisticsDimension.label(name: "campaign")
            let parts = ["spring", "summer", "caf\u{E9}"].map { value in
                CountedTask.Part(label, value: value, outcomes: Self.outcomes(3))
            }
            let native = CountedTask.Part(.dialect, value: "native", outcomes: Self.outcomes(3))
            #expect(try await scene.fold(scene.task(parts: parts + [native])))
            // The last is equal to a value as a text, and is another in bytes.
            let values = ["summer", "winter", "cafe\u{301}"]
            let page = try await scene.read(label, values: values)
            #expect(page.rows.map(\.value) == ["summer"] && page.rows.map(\.sums) == [Self.sums(1, 3)])
            #expect(try await scene.read(label, values: ["winter"]).rows.isEmpty)
            #expect(try await scene.read(.dialect, .hour, values: ["native", "pushd"]).rows.map(\.value) == ["native"])
        }
    }

    /// Two reporters may have the same task, and repeat it; each task counts once.
    @Test(arguments: StoreKind.allCases)
    func concurrentRepeatsAreAddedOnce(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let tasks = (0..<40).map { _ in scene.task(delivered: 1) }
            let added = try await withThrowingTaskGroup(of: Bool.self) { group in
                for task in tasks + tasks + tasks {
                    group.addTask { try await scene.fold(task) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(added == 40)
            let rows = try await scene.read().rows
            #expect(rows.map(\.sums.tasks) == [40] && rows.map { $0.sums.outcomes[.delivered] } == [40])
        }
    }

    /// A period has its first millisecond and not that of the next one, and a range the periods that begin in it.
    @Test(arguments: StoreKind.allCases)
    func aTaskCountsWhereItBegan(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let hour = StatisticsInterval.hour.start(of: scene.time.now)
            for begins in [hour + .milliseconds(-1), hour, hour + .milliseconds(3_599_999), hour + .seconds(3_600)] {
                #expect(try await scene.fold(scene.task(begins: begins)))
            }
            let hours = try await scene.read(.total, .hour).rows
            #expect(hours.map(\.time) == [hour + .seconds(-3_600), hour, hour + .seconds(3_600)])
            #expect(hours.map(\.sums.tasks) == [1, 2, 1])
            #expect(try await scene.read(.total, .hour, from: hour, to: hour + .seconds(3_600)).rows.count == 1)
            #expect(try await scene.read(.total, .hour, from: hour + .milliseconds(1)).rows.map(\.sums.tasks) == [1])
            let midnight = scene.today
            for begins in [midnight + .milliseconds(-1), midnight] {
                #expect(try await scene.fold(scene.task(begins: begins)))
            }
            #expect(try await scene.read().rows.map(\.sums.tasks) == [1, 5])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aLateTaskCountsInItsDayAlone(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let begins = scene.time.now + (.zero - StatisticsBounds.hourRetention - .seconds(3_600))
            #expect(try await scene.fold(scene.task(begins: begins)))
            let early = begins + (.zero - Self.day)
            #expect(try await scene.read(.total, .day, from: early).rows.map(\.sums.tasks) == [1])
            #expect(try await scene.read(.total, .hour, from: early).rows.isEmpty)
            let before = scene.time.now + (.zero - StatisticsBounds.dayRetention - Self.day - Self.day)
            #expect(try await !scene.fold(scene.task(begins: before)))
            #expect(try await scene.read(.total, .day, from: before + (.zero - Self.day)).rows.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesBeyondTheBoundAreOthers(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let topics = (0..<StatisticsBounds.valuesMaximum + 2).map {
                CountedTask.Part(.topic, value: "t\($0)", outcomes: Self.outcomes(1))
            }
            #expect(try await scene.fold(scene.task(parts: topics)))
            #expect(try await scene.fold(scene.task(parts: [topics[0], topics[1_001]])))
            let rows = try await scene.read(.topic).rows
            #expect(rows.count == StatisticsBounds.valuesMaximum + 1)
            #expect(rows.first { $0.value == StatisticsBounds.other }?.sums.tasks == 3)
            #expect(rows.first { $0.value == "t0" }?.sums.tasks == 2)
            let names = (0..<StatisticsBounds.labelNamesMaximum + 1).map {
                CountedTask.Part(.label(name: "n\($0)"), value: "x", outcomes: Self.outcomes(1))
            }
            for name in names { #expect(try await scene.fold(scene.task(parts: [name]))) }
            #expect(try await scene.fold(scene.task(parts: [names[0]])))
            #expect(try await scene.read(names[0].dimension).rows.map(\.sums.tasks) == [2])
            #expect(try await scene.read(names[StatisticsBounds.labelNamesMaximum].dimension).rows.isEmpty)
        }
    }

    /// Goal: a page has whole periods, and the next one begins where it ended. Two encodings of an accent are two
    /// values.
    @Test(arguments: StoreKind.allCases)
    func pagesJoin(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let values = ["\u{E9}", "e\u{301}", "b"]
            for hours in 0..<3 {
                let parts = values.map { CountedTask.Part(.topic, value: $0, outcomes: Self.outcomes(1)) }
                let begins = scene.time.now + .seconds(hours * 3_600)
                #expect(try await scene.fold(scene.task(begins: begins, parts: parts)))
            }
            let whole = try await scene.read(.topic, .hour)
            #expect(whole.rows.count == 9 && whole.next == nil)
            #expect(
                whole.rows.prefix(3).map { Array($0.value.utf8) } == ["b", "e\u{301}", "\u{E9}"].map { Array($0.utf8) })
            let first = try await scene.read(.topic, .hour, rowsMaximum: 7)
            #expect(first.rows == Array(whole.rows[..<6]) && first.next == whole.rows[6].time)
            #expect(try await scene.read(.topic, .hour, from: first.next).rows == Array(whole.rows[6...]))
            #expect(try await scene.read(.topic, .hour, rowsMaximum: 1).rows == Array(whole.rows[..<3]))
        }
    }

    /// Goal: a task that is repeated after it was forgotten is not added to a day that is older than that, which has
    /// it.
    @Test(arguments: StoreKind.allCases)
    func whatIsForgottenIsNotAddedAgain(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let (first, second) = (scene.task(), scene.task())
            #expect(try await scene.fold(first))
            scene.time.advance(by: StatisticsBounds.memory + .seconds(7_200))
            #expect(try await !scene.fold(first))
            #expect(try await !scene.fold(second), "as if it had been added in time")
            let early = first.begins + (.zero - Self.day)
            #expect(try await scene.read(.total, .day, from: early).rows.map(\.sums.tasks) == [1])
            // Closed in time, although it began long before.
            #expect(try await scene.fold(scene.task(begins: first.begins)))
        }
    }

    /// Goal: after a loss, tasks that were closed long ago are added again, each once.
    @Test(arguments: StoreKind.allCases)
    func aDayThatWasLostIsFilledAgain(_ kind: StoreKind) async throws {
        try await run(kind) { (scene) async throws in
            let closed = scene.time.now + (.zero - StatisticsBounds.memory - Self.day)
            let tasks = (0..<3).map { _ in scene.task(begins: closed, closed: closed) }
            for task in tasks + tasks { _ = try await scene.fold(task) }
            scene.time.advance(by: Self.day)
            for task in tasks { #expect(try await !scene.fold(task)) }
            let early = closed + (.zero - Self.day)
            #expect(try await scene.read(.total, .day, from: early).rows.map(\.sums.tasks) == [3])
        }
    }
}
