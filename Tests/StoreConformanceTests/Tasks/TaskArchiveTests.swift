import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of the archive.
@Suite(.timeLimit(.minutes(5))) struct TaskArchiveTests {
    private let app = Samples.freshApp()
    private let task = Samples.freshTask()

    @Test(arguments: StoreKind.allCases)
    func aTaskIsKeptOnce(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, time) async throws in
            let entry = self.entry(time.now)
            #expect(try await archive.content(of: task) == nil)
            try await archive.keep([0, 13, 10, 255], of: task, entry: entry)
            try await archive.keep([1], of: task, entry: entry)
            #expect(try await archive.content(of: task) == [0, 13, 10, 255])
            let listed = try await archive.tasks(of: entry.app, before: nil, limit: 10)
            #expect(listed == [TaskEntry.ID(begins: entry.begins, task: task)])
        }
    }

    /// More tasks than one pipeline holds, of two apps, one of them kept before.
    @Test(arguments: StoreKind.allCases)
    func manyTasksAreKeptOnce(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, time) async throws in
            let many = self.many(time.now)
            try await archive.keep([0], of: many[3].id, entry: many[3].entry)
            for _ in 0..<2 { try await archive.keep(many) }
            try await archive.keep([])
            for (number, kept) in many.enumerated() {
                #expect(try await archive.content(of: kept.id) == (number == 3 ? [0] : kept.content))
            }
            for app in Set(many.map(\.entry.app)) {
                let own = many.filter { $0.entry.app == app }
                let listed = try await archive.tasks(of: app, before: nil, limit: many.count)
                #expect(Set(listed) == Set(own.map { TaskEntry.ID(begins: $0.entry.begins, task: $0.id) }))
                #expect(listed.count == own.count)
            }
        }
    }

    /// Goal: a failure in the middle of many leaves nothing that a repeat does not complete. Method: interrupt before
    /// each of the commands once, and compare with an archive that was not interrupted.
    @Test func anInterruptedArchiveOfManyIsCompleted() async throws {
        let store = try await StoreFixture(.redis)
        let redis = try #require(try store.client())
        let scissors = Scissors()
        let connection = StoreConnection(redis, pipelineMaximum: 4) {
            scissors.isCut() ? StoreError(.unavailable, message: "interrupted") : nil
        }
        let archive = RedisTaskArchive(connection, time: store.time)
        let all = self.many(store.time.now)
        for steps in 0..<12 {
            let many = Array(all[(steps * 8)..<(steps * 8 + 8)])
            scissors.cut(after: steps)
            // Eight contents and the lists of two apps, each of which may be trimmed.
            if steps < 10 { await #expect(throws: StoreError.self) { try await archive.keep(many) } }
            scissors.cut(after: nil)
            try await archive.keep(many)
            for kept in many { #expect(try await archive.content(of: kept.id) == kept.content) }
        }
        for app in Set(all.map(\.entry.app)) {
            let listed = try await archive.tasks(of: app, before: nil, limit: all.count)
            #expect(Set(listed.map(\.task)) == Set(all.prefix(96).filter { $0.entry.app == app }.map(\.id)))
        }
        await store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func partsAreKeptByNumber(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            try await archive.keep([7], number: 3, of: task)
            #expect(try await archive.part(3, of: task) == [7])
            #expect(try await archive.part(2, of: task) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func partsWithContentsAreKeptByNumber(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            try await archive.keepContents([7], number: 3, of: task, for: .seconds(60))
            try await archive.keepContents([8], number: 4, of: task, for: .seconds(60))
            try await archive.keepContents([9], number: 4, of: task, for: .seconds(60))
            #expect(try await archive.part(3, of: task) == [7])
            #expect(try await archive.part(4, of: task) == [9])
            #expect(try await archive.part(2, of: task) == nil)
            // What a rebuild removes before it writes the task again.
            try await archive.forget(task, after: .zero)
            #expect(try await archive.part(3, of: task) == [7])
        }
    }

    /// Goal: parts with contents expire soon without a task, after its deadline with it, and soon once it is closed.
    /// Method: the keys' times to live in Redis, for parts that come before and after each step.
    @Test func contentsLiveAsLongAsTheirTask() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let redis = try #require(try store.client())
        let archive = RedisTaskArchive(StoreConnection(redis), time: SystemTimeSource())
        func life() async throws -> Int64 {
            Int64(try await redis.send(RedisCommand("PTTL", RedisArgument("parts:{\(task.key)}"))).integer ?? 0)
        }
        try await archive.extendContents(of: task, for: .seconds(3_600))
        try await archive.keepContents([1], number: 0, of: task, for: .zero)
        #expect(try await life() < 0)
        for number in 0..<2 {
            try await archive.keepContents([1], number: number, of: task, for: .seconds(600))
            #expect((1...600_000).contains(try await life()))
        }
        try await archive.extendContents(of: task, for: .seconds(86_400))
        try await archive.extendContents(of: task, for: .seconds(60))
        try await archive.keepContents([1], number: 2, of: task, for: .seconds(600))
        #expect((80_000_000...86_400_000).contains(try await life()))
        try await archive.forget(task, after: .seconds(8 * 86_400))
        #expect((1...TaskArchiveBounds.contentsRetention.wholeMilliseconds).contains(try await life()))
        try await archive.forget(task, after: .seconds(5))
        #expect((1...5_000).contains(try await life()))
        await store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func theFirstDecisionAndTheFirstReportHold(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            let segments = [0, 5, SegmentNumber.maximum].map { SegmentNumber(rawValue: $0) }
            #expect(try await archive.decide(segments: segments, of: task) == segments)
            #expect(try await archive.decide(segments: [], of: task) == segments)
            #expect(try await archive.report(of: task) == nil)
            #expect(try await archive.fix(report: [1], of: task) == [1])
            #expect(try await archive.fix(report: [2], of: task) == [1])
            #expect(try await archive.report(of: task) == [1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whomAJobMeansIsDecidedOnce(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            #expect(try await archive.devices(job: 0, of: task) == nil)
            #expect(try await archive.decide(devices: [1, 0], job: 0, of: task) == [1, 0])
            #expect(try await archive.decide(devices: [2], job: 0, of: task) == [1, 0])
            #expect(try await archive.decide(devices: [], job: 1, of: task) == [])
            #expect(try await archive.decide(devices: [9], job: 1, of: task) == [])
            #expect(try await archive.devices(job: 0, of: task) == [1, 0])
            try await archive.dropDevices(job: 0, of: task)
            #expect(try await archive.devices(job: 0, of: task) == nil)
            #expect(try await archive.devices(job: 1, of: task) == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whyATaskIsGivenUpIsKnown(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            #expect(try await archive.reasonGivenUp(task) == nil)
            try await archive.giveUp(task, reason: "it cannot be read")
            try await archive.giveUp(task, reason: "it was never planned")
            #expect(try await archive.reasonGivenUp(task) == "it was never planned")
            try await archive.forget(task, after: .zero)
            #expect(try await archive.reasonGivenUp(task) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aReportNeverGoesBack(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            #expect(try await archive.reportStage(of: task) == .fixed)
            try await archive.advance(reportOf: task, to: .published)
            #expect(try await archive.reportStage(of: task) == .published)
            try await archive.advance(reportOf: task, to: .settled)
            try await archive.advance(reportOf: task, to: .published)
            #expect(try await archive.reportStage(of: task) == .settled)
            try await archive.forget(task, after: .zero)
            #expect(try await archive.reportStage(of: task) == .fixed)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsForgottenIsGone(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, time) async throws in
            try await archive.keep([1], of: task, entry: entry(time.now))
            _ = try await archive.decide(segments: [SegmentNumber(rawValue: 1)], of: task)
            _ = try await archive.fix(report: [1], of: task)
            try await archive.forget(task, after: .seconds(3_600))
            #expect(try await archive.content(of: task) == [1])
            try await archive.forget(task, after: .zero)
            #expect(try await archive.content(of: task) == nil)
            #expect(try await archive.report(of: task) == nil)
            #expect(try await archive.decide(segments: [], of: task) == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aReportedTaskIsKnownToBe(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, _) async throws in
            #expect(try await !archive.isReported(task))
            _ = try await archive.fix(report: [1], of: task)
            #expect(try await archive.isReported(task))
            try await archive.forget(task, after: .zero)
            #expect(try await !archive.isReported(task))
            try await archive.advance(reportOf: task, to: .published)
            #expect(try await archive.isReported(task))
        }
    }

    /// Goal: what is concluded is settled, and expires as what is forgotten does. Method: compare the expiries in Redis of
    /// two tasks that have everything, and one that has a content and a report.
    @Test func whatIsConcludedExpiresLikeWhatIsForgotten() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let redis = try #require(try store.client())
        let archive = RedisTaskArchive(StoreConnection(redis), time: SystemTimeSource())
        let (forgotten, concluded, small) = (TaskID(high: 1, low: 1), TaskID(high: 1, low: 2), TaskID(high: 1, low: 3))
        let now = SystemTimeSource().now
        for task in [forgotten, concluded, small] {
            try await archive.keep([1], of: task, entry: entry(now))
            _ = try await archive.fix(report: [1], of: task)
        }
        for task in [forgotten, concluded] {
            _ = try await archive.decide(segments: [SegmentNumber(rawValue: 1)], of: task)
            try await archive.keepContents([1], number: 0, of: task, for: .seconds(86_400))
            try await archive.giveUp(task, reason: "no plan")
        }
        try await archive.advance(reportOf: forgotten, to: .settled)
        try await archive.forget(forgotten, after: .seconds(900), provenFor: .seconds(7_200))
        for task in [concluded, small] {
            try await archive.conclude(task, after: .seconds(900), provenFor: .seconds(7_200))
            #expect(try await archive.reportStage(of: task) == .settled)
        }
        func life(_ key: String, of task: TaskID) async throws -> Int64 {
            try await redis.send(RedisCommand("PTTL", RedisArgument("\(key):{\(task.key)}"))).integer ?? 0
        }
        for key in ["content", "visits", "report", "stage", "parts", "undone"] {
            let expected = try await life(key, of: forgotten)
            let (whole, alone) = (try await life(key, of: concluded), try await life(key, of: small))
            #expect(expected > 0 && abs(whole - expected) < 60_000, "\(key)")
            if ["content", "report", "stage"].contains(key) { #expect(abs(alone - expected) < 60_000, "\(key)") }
        }
    }

    /// Goal: a task is known as reported as long as its ledger exists; one that a request with a key can name again,
    /// longer than the key. Method: compare the expiries in Redis of a derived and a random task, both forgotten soon.
    @Test func aTaskIsKnownAsDoneForLongerThanItsReport() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let redis = try #require(try store.client())
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
        try await archive.forget(random, after: .seconds(600), provenFor: .seconds(7 * 86_400))
        #expect(try await life("stage", task: random) > 6 * 86_400_000)
        #expect(try await life("report", task: random) <= 600_000)
        try await archive.forget(derived, after: .zero)
        #expect(try await !archive.isReported(derived))
    }

    /// Several tasks of the same millisecond across two pages: no duplicates, none missing.
    @Test(arguments: StoreKind.allCases)
    func theListIsReadInPages(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, time) async throws in
            let entry = self.entry(time.now)
            let later = self.entry(time.now + .milliseconds(1))
            for low in 0..<9 {
                let task = TaskID(high: self.task.high, low: UInt64(low))
                try await archive.keep([1], of: task, entry: low < 7 ? entry : later)
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

    /// Goal: tasks that wait are listed apart, the next first, in pages, whatever the number of newer tasks.
    @Test(arguments: StoreKind.allCases)
    func scheduledTasksAreListedUntilTheyAreReleased(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, time) async throws in
            for low in 0..<5 {
                let task = TaskID(high: self.task.high, low: UInt64(low))
                let entry = self.entry(time.now + .seconds(low < 3 ? 100 : 50))
                try await archive.schedule([UInt8(low)], of: task, entry: entry)
                try await archive.schedule([9], of: task, entry: entry)
                #expect(try await archive.content(of: task) == [UInt8(low)])
            }
            #expect(try await archive.tasks(of: app, before: nil, limit: 10).isEmpty)
            var read: [TaskEntry.ID] = []
            while true {
                let page = try await archive.scheduled(of: app, after: read.last, limit: 2)
                read += page
                if page.count < 2 { break }
            }
            #expect(read.map(\.task.low) == [3, 4, 0, 1, 2])
            try await archive.unschedule(read.prefix(2).map(\.task), of: app)
            let left = try await archive.scheduled(of: app, after: nil, limit: 10)
            #expect(left.map(\.task.low) == [0, 1, 2])
        }
    }

    /// A task that is done stays so, and one that is released is not listed again.
    @Test(arguments: StoreKind.allCases)
    func aScheduledTaskGetsAnotherTime(_ kind: StoreKind) async throws {
        try await kind.withArchive { (archive, time) async throws in
            let (first, second) = (self.task, TaskID(high: self.task.high, low: 9))
            for (task, seconds) in [(first, 100), (second, 50)] {
                try await archive.schedule([1], of: task, entry: entry(time.now + .seconds(seconds)))
            }
            let earlier = entry(time.now + .seconds(20))
            try await archive.reschedule([2], of: first, entry: earlier)
            #expect(try await archive.content(of: first) == [2])
            let listed = try await archive.scheduled(of: app, after: nil, limit: 9)
            #expect(
                listed == [
                    .init(begins: earlier.begins, task: first),
                    .init(
                        begins: time.now + .seconds(50), task: second),
                ])
            try await archive.unschedule([first], of: app)
            try await archive.reschedule([3], of: first, entry: earlier)
            #expect(try await archive.content(of: first) == [3])
            try await archive.withdraw(first)
            try await archive.reschedule([4], of: first, entry: earlier)
            #expect(try await archive.content(of: first) == nil)
            #expect(try await archive.scheduled(of: app, after: nil, limit: 9).map(\.task) == [second])
        }
    }

    /// Goal: nothing of a task that waits for 90 days expires before its time. Method: the keys' times to live in
    /// Redis.
    @Test func aScheduledTaskOutlivesItsTime() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let redis = try #require(try store.client())
        let time = SystemTimeSource()
        let archive = RedisTaskArchive(StoreConnection(redis), time: time)
        let wait = Duration.seconds(90 * 86_400)
        try await archive.schedule([1], of: task, entry: entry(time.now + wait))
        try await archive.keep([2], number: 7, of: task, for: wait + TaskArchiveBounds.partRetention)
        for key in ["content:{\(task.key)}", "part:{\(task.key)}:7"] {
            let life = try await redis.send(RedisCommand("PTTL", RedisArgument(key))).integer ?? 0
            #expect(Int64(life) > (wait + .seconds(80_000)).wholeMilliseconds)
        }
        try await archive.keep([3], number: 8, of: task, for: .zero)
        #expect(try await archive.part(8, of: task) == nil)
        await store.close()
    }

    private func many(_ created: Timestamp) -> [ArchivedTask] {
        let other = Samples.freshApp()
        return (0..<300).map { number in
            let entry = TaskEntry(
                app: number % 3 == 0 ? other : app, begins: created + .milliseconds(number / 7),
                deadline: created + .seconds(60))
            return ArchivedTask(
                TaskID(high: task.high, low: UInt64(number)), content: [1, UInt8(number & 255)], entry: entry)
        }
    }

    private func entry(_ created: Timestamp) -> TaskEntry {
        TaskEntry(app: app, begins: created, deadline: created + .seconds(60))
    }
}
