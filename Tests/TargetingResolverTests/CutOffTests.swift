import PushModel
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Goal: wherever a resolver is killed, every device of the task is sent, and none that is not marked, although the
/// registry changes before the next resolver continues. Method: each Redis command is a step, and so is the moment
/// before and after each send; a process is killed at every step, one task after the other, and another takes over.
@Suite(.timeLimit(.minutes(5))) struct CutOffTests {
    private static let news = "news"

    @Test func aTaskForFewSurvivesACutAnywhere() async throws {
        let harness = try await Harness(segments: 3, devices: 4)
        let deaths = try await harness.cutEverywhere(isFast: true) { fixture, number in
            let list = TargetList.entries([.device(harness.extra), harness.unknown])
            return (fixture.task(number, audience: .topic(harness.news), list: list), [])
        }
        #expect(deaths > 8)
    }

    @Test func aTaskForManySurvivesACutAnywhere() async throws {
        let harness = try await Harness(segments: 5, devices: 204)
        let deaths = try await harness.cutEverywhere(isFast: false) { fixture, number in
            let task = fixture.task(number, audience: .topic(harness.news), list: .parts(count: 5, entries: 1_001))
            let user = TargetEntry.alias(try Alias(.externalUser, value: "ann"))
            let entries = [[.device(harness.extra)], [], [], [harness.unknown], [user]]
            let parts = entries.enumerated().map { TaskPart(task: task.id, number: $0, entries: $1) }
            return (task, parts)
        }
        #expect(deaths > 60)
    }
}

/// Devices in a Redis, and the expected result.
private struct Harness {
    let fixture: ResolverFixture
    let news: TopicName
    /// On lists, in addition to the topic's members.
    let extra: DeviceID
    private let user: DeviceID
    /// On lists; of no device.
    let unknown = TargetEntry.device(DeviceID(index: DeviceIndex(rawValue: 9 << 12), tag: 1))
    /// Subscribes and unsubscribes during the test.
    private let restless: DeviceID
    private let members: Set<DeviceIndex>
    private let server: RedisServer

    init(segments: Int, devices: Int) async throws {
        server = try await RedisServer(.forStores)
        fixture = try await ResolverFixture(server)
        news = try TopicName("news")
        var members: Set<DeviceIndex> = []
        for segment in 0..<segments {
            for offset in 0..<devices {
                members.insert(try await fixture.place(UInt32(segment), offset: UInt16(offset), on: [news: []]).index)
            }
        }
        self.members = members
        restless = try await fixture.place(0, offset: 3_000, on: [news: []])
        extra = try await fixture.place(1, offset: 3_001, kind: .fcm)
        user = try await fixture.place(2, offset: 3_002, kind: .fcm, user: "ann")
    }

    /// Returns the number of killed processes.
    func cutEverywhere(
        isFast: Bool, _ make: (ResolverFixture, UInt64) throws -> (PushTask, [TaskPart])
    ) async throws -> Int {
        var deaths = 0
        for steps in 0... {
            let (task, parts) = try make(fixture, UInt64(steps))
            try await fixture.change(restless, content: .subscription(news, []))
            fixture.post(task, parts: parts)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            var hasDied = false
            try await fixture.run {
                hasDied = true
                try await fixture.change(restless, content: .subscription(news, nil))
            }
            fixture.lifeline.begin()
            try await check(task, isFast: isFast, moment: "after \(steps) steps")
            guard hasDied else { break }
            deaths += 1
        }
        return deaths
    }

    private func check(_ task: PushTask, isFast: Bool, moment: Comment) async throws {
        let sent = try fixture.sent(task)
        let marked = try await fixture.marked(task)
        let listed = isFast ? [extra.index] : [extra.index, user.index]
        #expect(Set(sent) == Set(marked), moment)
        #expect(Set(sent).subtracting([restless.index]) == members.union(listed), moment)
        #expect(try await fixture.isResolved(task), moment)
        let progress = try await fixture.ledger.progress(of: task.id)
        #expect(progress?.plan.isFast == isFast && progress?.unmatched == 1, moment)
        // One delivery may be repeated: a job, or a whole fast-lane task.
        let repeats = sent.count - Set(sent).count
        #expect(repeats <= (isFast ? sent.count / 2 : 3 * (members.count / 5 + 1)), moment)
        #expect(try await fixture.agenda.take(upTo: 9, for: .seconds(0)).isEmpty, moment)
    }
}
