import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of the archive.
@Suite(.timeLimit(.minutes(2))) struct TaskArchiveTests {
    private static let task = TaskID(high: 1, low: 2)

    @Test(arguments: TaskStoreDriver.allCases)
    func aTaskIsKeptOnce(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, time) async throws in
            let entry = try TaskArchiveTests.entry(time.now)
            #expect(try await archive.content(of: Self.task) == nil)
            try await archive.keep([0, 13, 10, 255], of: Self.task, entry: entry)
            try await archive.keep([1], of: Self.task, entry: entry)
            #expect(try await archive.content(of: Self.task) == [0, 13, 10, 255])
            let listed = try await archive.tasks(of: entry.app, before: nil, limit: 10)
            #expect(listed == [TaskEntry.ID(created: entry.created, task: Self.task)])
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func partsAreKeptByNumber(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, _) async throws in
            try await archive.keep([7], number: 3, of: Self.task)
            #expect(try await archive.part(3, of: Self.task) == [7])
            #expect(try await archive.part(2, of: Self.task) == nil)
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func theFirstDecisionAndTheFirstReportHold(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, _) async throws in
            let segments = [0, 5, SegmentNumber.maximum].map { SegmentNumber(rawValue: $0) }
            #expect(try await archive.decide(segments: segments, of: Self.task) == segments)
            #expect(try await archive.decide(segments: [], of: Self.task) == segments)
            #expect(try await archive.report(of: Self.task) == nil)
            #expect(try await archive.fix(report: [1], of: Self.task) == [1])
            #expect(try await archive.fix(report: [2], of: Self.task) == [1])
            #expect(try await archive.report(of: Self.task) == [1])
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func whomAJobMeansIsDecidedOnce(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, _) async throws in
            #expect(try await archive.devices(job: 0, of: Self.task) == nil)
            #expect(try await archive.decide(devices: [1, 0], job: 0, of: Self.task) == [1, 0])
            #expect(try await archive.decide(devices: [2], job: 0, of: Self.task) == [1, 0])
            #expect(try await archive.decide(devices: [], job: 1, of: Self.task) == [])
            #expect(try await archive.decide(devices: [9], job: 1, of: Self.task) == [])
            #expect(try await archive.devices(job: 0, of: Self.task) == [1, 0])
            try await archive.dropDevices(job: 0, of: Self.task)
            #expect(try await archive.devices(job: 0, of: Self.task) == nil)
            #expect(try await archive.devices(job: 1, of: Self.task) == [])
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func whyATaskIsGivenUpIsKnown(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, _) async throws in
            #expect(try await archive.reasonGivenUp(Self.task) == nil)
            try await archive.giveUp(Self.task, reason: "it cannot be read")
            try await archive.giveUp(Self.task, reason: "it was never planned")
            #expect(try await archive.reasonGivenUp(Self.task) == "it was never planned")
            try await archive.forget(Self.task, after: .zero)
            #expect(try await archive.reasonGivenUp(Self.task) == nil)
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func aReportNeverGoesBack(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, _) async throws in
            #expect(try await archive.reportStage(of: Self.task) == .fixed)
            try await archive.advance(reportOf: Self.task, to: .published)
            #expect(try await archive.reportStage(of: Self.task) == .published)
            try await archive.advance(reportOf: Self.task, to: .settled)
            try await archive.advance(reportOf: Self.task, to: .published)
            #expect(try await archive.reportStage(of: Self.task) == .settled)
            try await archive.forget(Self.task, after: .zero)
            #expect(try await archive.reportStage(of: Self.task) == .fixed)
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func whatIsForgottenIsGone(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, time) async throws in
            try await archive.keep([1], of: Self.task, entry: try TaskArchiveTests.entry(time.now))
            _ = try await archive.decide(segments: [SegmentNumber(rawValue: 1)], of: Self.task)
            _ = try await archive.fix(report: [1], of: Self.task)
            try await archive.forget(Self.task, after: .seconds(3_600))
            #expect(try await archive.content(of: Self.task) == [1])
            try await archive.forget(Self.task, after: .zero)
            #expect(try await archive.content(of: Self.task) == nil)
            #expect(try await archive.report(of: Self.task) == nil)
            #expect(try await archive.decide(segments: [], of: Self.task) == [])
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func aReportedTaskIsKnownToBe(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, _) async throws in
            #expect(try await !archive.isReported(Self.task))
            _ = try await archive.fix(report: [1], of: Self.task)
            #expect(try await archive.isReported(Self.task))
            try await archive.forget(Self.task, after: .zero)
            #expect(try await !archive.isReported(Self.task))
            try await archive.advance(reportOf: Self.task, to: .published)
            #expect(try await archive.isReported(Self.task))
        }
    }

    /// Goal: a task is known as reported as long as its ledger exists; one that a request with a key can name again,
    /// longer than the key. Method: compare the expiries in Redis of a derived and a random task, both forgotten soon.
    @Test func aTaskIsKnownAsDoneForLongerThanItsReport() async throws {
        let server = try await RedisServer()
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        let archive = RedisTaskArchive(StoreConnection(redis), time: SystemTimeSource())
        let (derived, random) = (TaskID(high: 0x8000, low: 1), TaskID(high: 0x4000, low: 1))
        for task in [derived, random] {
            _ = try await archive.fix(report: [1], of: task)
            try await archive.advance(reportOf: task, to: .settled)
            try await archive.forget(task, after: .seconds(600))
        }
        func life(_ key: String, task: TaskID) async throws -> Int {
            Int(try await redis.send(RedisCommand("PTTL", RedisArgument("\(key):{\(task.key)}"))).integer ?? 0)
        }
        #expect(try await life("report", task: derived) <= 600_000)
        let ledger = TaskPlan.retention(isFast: true).wholeMilliseconds
        #expect((ledger - 60_000...ledger).contains(Int64(try await life("stage", task: random))))
        #expect(try await life("stage", task: derived) > IdempotencyBounds.retention.wholeMilliseconds)
        try await archive.forget(derived, after: .zero)
        #expect(try await !archive.isReported(derived))
    }

    /// Several tasks of the same millisecond across two pages: no duplicates, none missing.
    @Test(arguments: TaskStoreDriver.allCases)
    func theListIsReadInPages(_ driver: TaskStoreDriver) async throws {
        try await driver.withArchive { (archive, time) async throws in
            let entry = try TaskArchiveTests.entry(time.now)
            let later = try TaskArchiveTests.entry(time.now + .milliseconds(1))
            for low in 0..<9 {
                try await archive.keep([1], of: TaskID(high: 0, low: UInt64(low)), entry: low < 7 ? entry : later)
            }
            var read: [TaskEntry.ID] = []
            while true {
                let page = try await archive.tasks(of: entry.app, before: read.last, limit: 2)
                read += page
                if page.count < 2 { break }
            }
            #expect(read.map(\.task.low) == [8, 7, 6, 5, 4, 3, 2, 1, 0])
        }
    }

    private static func entry(_ created: Timestamp) throws -> TaskEntry {
        TaskEntry(app: try AppID("news"), created: created, deadline: created + .seconds(60))
    }
}
