import PushModel
import RedisClient
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Tasks whose list entries have contents of their own.
@Suite(.timeLimit(.minutes(5))) struct ListedContentsTests {
    private func task(_ fixture: ResolverFixture, _ number: UInt64, parts: Int, entries: Int) -> PushTask {
        var task = fixture.task(number, audience: nil, list: .parts(count: parts, entries: entries))
        task.content = TaskContent()
        task.content.platforms = Set(Platform.allCases)
        task.hasListedContents = true
        return task
    }

    /// The contents of all devices that were sent on, as often as they were.
    private func contents(_ fixture: ResolverFixture, of task: PushTask) throws -> [DeviceIndex: Set<ContentNumber>] {
        var contents: [DeviceIndex: Set<ContentNumber>] = [:]
        for part in try Lane.allCases.flatMap({ try fixture.chunks($0, of: task) }).flatMap(\.segments) {
            for (position, offset) in part.offsets.enumerated() {
                let index = DeviceIndex(segment: part.segment, offset: offset)
                contents[index, default: []].insert(part.content(at: position))
            }
        }
        return contents
    }

    /// Goal: each device gets the content of the first entry that names it, and none that does not address its
    /// platform. Method: a list for few and one for many; devices with an alias of their own, one of them with two
    /// entries; a content for one platform only.
    @Test(arguments: [6, 1_001])
    func eachDeviceGetsTheContentOfItsFirstEntry(entryCount: Int) async throws {
        let fixture = try ResolverFixture()
        let ann = try await fixture.place(0, offset: 1, user: "ann")
        let twin = try await fixture.place(4_000, offset: 7, kind: .fcm, user: "ann")
        let other = try await fixture.place(1, offset: 2, kind: .fcm)
        let apple = try await fixture.place(1, offset: 3)
        let task = task(fixture, 1, parts: 2, entries: entryCount)
        let phone = Samples.content("phones", platforms: [.ios])
        let parts = [
            TaskPart(
                task: task.id, number: 0,
                entries: [.alias(try Samples.user("ann")), .device(ann), .alias(try Samples.user("unknown"))],
                contents: [Samples.content("a"), Samples.content("b")], choices: [1, 0, 0]),
            TaskPart(
                task: task.id, number: 1, entries: [.device(other), .device(apple)],
                contents: [Samples.content("c"), phone], choices: [1, 1]),
        ]
        fixture.post(task, parts: parts)
        try await fixture.run()
        let second = ContentNumber(part: 0, place: 1)
        #expect(
            try contents(fixture, of: task) == [
                ann.index: [second], twin.index: [second], apple.index: [ContentNumber(part: 1, place: 1)],
            ])
        #expect(try fixture.sent(task).count == 3)
        #expect(try await fixture.isResolved(task))
        let isFast = try await fixture.ledger.progress(of: task.id)?.plan.isFast
        #expect(isFast == (entryCount == 6))
    }

    @Test func aLostPartCostsItsOwnDevicesAlone() async throws {
        let fixture = try ResolverFixture()
        let ids = try await [fixture.place(0, offset: 1), fixture.place(2, offset: 1)]
        let task = task(fixture, 1, parts: 2, entries: 1_001)
        let parts = ids.enumerated().map { number, id in
            TaskPart(
                task: task.id, number: number, entries: [.device(id)], contents: [Samples.content("x")], choices: [0])
        }
        fixture.post(task, parts: [parts[1]])
        try await fixture.run()
        let known: [DeviceIndex: Set<ContentNumber>] = [ids[1].index: [ContentNumber(part: 1, place: 0)]]
        #expect(try contents(fixture, of: task) == known)
        #expect(try await !fixture.isResolved(task))
        fixture.time.advance(by: .seconds(3_600))
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.run()
        #expect(try await fixture.isResolved(task))
        #expect(try contents(fixture, of: task) == known)
    }

    @Test func aDeviceThatWaitsKeepsItsContent() async throws {
        let fixture = try ResolverFixture()
        let id = try await fixture.place(0, offset: 1)
        let task = task(fixture, 1, parts: 1, entries: 1)
        fixture.judges.set(.wait(.quietHours, until: fixture.time.now + .seconds(600)), of: [id.index])
        let part = TaskPart(
            task: task.id, number: 0, entries: [.device(id)], contents: [Samples.content("x"), Samples.content("y")],
            choices: [1])
        fixture.post(task, parts: [part])
        try await fixture.run()
        let devices = try fixture.orders(of: task).flatMap(\.devices)
        #expect(devices.map(\.content) == [ContentNumber(part: 0, place: 1)])
    }

    /// Goal: wherever a resolver is killed, a repeated job sends each device the same content, and the contents are
    /// kept beyond the deadline. Method: each Redis command is a step, and so is the moment before and after each send;
    /// a process is killed at every step.
    @Test(arguments: [2, 1_001])
    func aRepeatedJobSendsTheSameContents(entryCount: Int) async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        let ids = try await [
            fixture.place(0, offset: 1), fixture.place(0, offset: 2), fixture.place(3, offset: 1, user: "ann"),
        ]
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        let listed = ContentNumber(part: 0, place: 0)
        let (first, second) = (ContentNumber(part: 1, place: 0), ContentNumber(part: 1, place: 1))
        var hasDied = true
        var steps = 0
        while hasDied {
            let task = task(fixture, UInt64(steps), parts: 2, entries: entryCount)
            let parts = [
                TaskPart(
                    task: task.id, number: 0, entries: [.device(ids[0])], contents: [Samples.content("x")],
                    choices: [0]),
                TaskPart(
                    task: task.id, number: 1, entries: [.device(ids[1]), .alias(try Samples.user("ann"))],
                    contents: [Samples.content("y"), Samples.content("z")], choices: [0, 1]),
            ]
            fixture.post(task, parts: parts)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            hasDied = false
            try await fixture.run { hasDied = true }
            fixture.lifeline.begin()
            #expect(
                try contents(fixture, of: task) == [
                    ids[0].index: [listed], ids[1].index: [first], ids[2].index: [second],
                ], "after \(steps) steps")
            #expect(try await fixture.isResolved(task))
            let life = try await redis.send(RedisCommand("PTTL", RedisArgument("parts:{\(task.id.key)}"))).integer
            #expect(try #require(life) > TaskArchiveBounds.retention.wholeMilliseconds)
            steps += 1
        }
        #expect(steps > 8)
        await redis.close()
    }
}
