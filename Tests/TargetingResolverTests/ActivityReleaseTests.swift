import Bus
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Publications of Live Activities: what is sent is decided when the task is resolved.
@Suite struct ActivityReleaseTests {
    private let fixture: ResolverFixture
    private let book: ActivityBook
    private let id: ActivityID
    private var space: AppID { fixture.app.activities }

    init() throws {
        fixture = try ResolverFixture()
        book = ActivityBook(fixture.registry, time: fixture.time)
        id = try ActivityID("order")
    }

    private func stamp(_ number: UInt64) -> TaskID { TaskID(high: 9, low: number) }

    private func begin(tokens: Int, isMirrored: Bool = false) async throws {
        var base = ActivityBase()
        base.isMirrored = isMirrored
        base.entries = [.alias(try Alias(.externalUser, value: "ada"))]
        try await book.begin(id, base: base, state: nil, timestamp: 0, in: space)
        for number in 0..<tokens {
            let digits = String(number, radix: 16)
            let token = try PushToken(.liveActivity, text: String(repeating: "0", count: 64 - digits.count) + digits)
            let endpoint = try await fixture.registry.register(token, changes: DeviceChanges(), in: space)
            _ = try await fixture.registry.subscribe(endpoint.registered.id, to: id.topic, options: [], in: space)
        }
    }

    /// As ingest does it; returns the task, which is posted.
    private func update(_ number: UInt64, isEnd: Bool = false, isUrgent: Bool = false) async throws -> TaskID {
        var state = ActivityState(stamp: stamp(number), contentState: JSONObject([("step", .integer(Int64(number)))]))
        state.isUrgent = isUrgent
        let (task, pending) = try await book.put(state, isEnd: isEnd, task: stamp(100 + number), of: id, in: space)
        if let pending, !pending.isSent {
            fixture.post(
                .publication(task, of: id, in: space, due: pending.due, created: fixture.time.now))
            try await book.noteSent(task, of: id, in: space)
        }
        return task
    }

    private func published(_ task: TaskID) async throws -> ActivityContent? {
        try await fixture.archive.task(task)?.content.activity
    }

    private func chunks() throws -> [AudienceChunk] {
        try fixture.bus.messages(Topics.audience.channel(.fast)).map { try AudienceChunk(decoding: $0.value) }
    }

    private func step(_ content: ActivityContent?) -> JSON? { content?.members?["content-state"]?["step"] }

    @Test func theNewestStateIsSent() async throws {
        try await begin(tokens: 2)
        let task = try await update(1)
        #expect(try await update(2) == task)
        try await fixture.run()
        let content = try await published(task)
        #expect(step(content) == .integer(2) && content?.event == .update)
        #expect(content?.timestamp == fixture.time.now.milliseconds / 1_000)
        #expect(try await fixture.ledger.progress(of: task)?.counts[.targeted] == 2)
        let chunk = try #require(try chunks().first { $0.task == task })
        let carried = try PushTask(archived: chunk.content, of: task).content.activity
        #expect(chunk.app == space && step(carried) == .integer(2))
    }

    @Test func anEndIsSentAsOne() async throws {
        try await begin(tokens: 1)
        _ = try await update(1)
        let task = try await update(2, isEnd: true, isUrgent: true)
        try await fixture.run()
        let sent = try #require(try await fixture.archive.task(task))
        #expect(sent.content.activity?.event == .end && sent.options.priority == .high)
    }

    /// Goal: a crash anywhere leaves one state for the task, and each token marked once.
    @Test func aRedeliveredPublicationSendsTheSame() async throws {
        try await begin(tokens: 3)
        let task = try await update(1)
        try await fixture.run()
        let first = try await published(task)
        fixture.time.advance(by: .seconds(2))
        _ = try await update(2)
        fixture.post(.publication(task, of: id, in: space, due: fixture.time.now, created: fixture.time.now))
        try await fixture.run()
        #expect(try await published(task) == first)
        #expect(try await fixture.ledger.progress(of: task)?.counts.targeted == 3)
    }

    /// Goal: after a loss of the store, a publication that is delivered again supersedes no newer one. Method: its report is
    /// restored; its content is not, nor is the clock.
    @Test func aReportedPublicationIsNotSentAgain() async throws {
        try await begin(tokens: 1)
        let old = stamp(50)
        _ = try await fixture.archive.fix(report: [1], of: old)
        let newest = try await update(1)
        try await fixture.run()
        let clock = try await book.clock(of: id, in: space)
        fixture.time.advance(by: .seconds(40))
        fixture.post(.publication(old, of: id, in: space, due: fixture.time.now, created: fixture.time.now))
        try await fixture.run()
        #expect(try await book.clock(of: id, in: space) == clock && clock.current?.task == newest)
        #expect(try await fixture.ledger.progress(of: old) == nil)
    }

    /// Goal: an activity with many phones that is updated each second still reaches all of them. Method: the tokens of
    /// the publication before are not claimed.
    @Test func thePublicationBeforeFinishesItsFirstRound() async throws {
        try await begin(tokens: 1)
        let first = try await update(1)
        try await fixture.run()
        fixture.time.advance(by: .seconds(1))
        let second = try await update(2)
        try await fixture.run()
        #expect(try await fixture.ledger.progress(of: second) == nil)
        let waiting = try fixture.bus.messages(Topics.schedules.channel).map { try ScheduleRecord(decoding: $0.value) }
        guard case .task(let postponed) = try #require(waiting.last) else {
            Issue.record("the publication is not scheduled: \(waiting)")
            return
        }
        #expect(postponed.id == second && postponed.begins > fixture.time.now && postponed.awaitsState)
        #expect(try await update(3) == second, "updates still join it")
        // The phone has it.
        let segment = SegmentID(space, number: SegmentNumber(rawValue: 0))
        let claim = ClaimRequest(
            id: ClaimID(owner: 1, number: 1), offsets: [0], attempt: 0, lease: .seconds(60), countsBadge: false)
        _ = try await fixture.ledger.claim(claim, of: first, in: segment)
        fixture.time.advance(by: .seconds(1))
        fixture.post(postponed)
        try await fixture.run()
        let content = try await published(second)
        #expect(step(content) == .integer(3))
    }

    /// Goal: a provider in an outage does not stop an activity.
    @Test func afterHalfAMinuteTheOneBeforeGivesWay() async throws {
        try await begin(tokens: 1)
        _ = try await update(1)
        try await fixture.run()
        fixture.time.advance(by: .seconds(31))
        let second = try await update(2)
        try await fixture.run()
        let content = try await published(second)
        #expect(step(content) == .integer(2))
    }

    @Test func anOlderPublicationIsReportedWithoutDevices() async throws {
        try await begin(tokens: 2)
        let late = PushTask.publication(
            stamp(900), of: try ActivityID("forgotten"), in: space, due: fixture.time.now, created: fixture.time.now)
        fixture.post(late)
        try await fixture.run()
        let progress = try await fixture.ledger.progress(of: late.id)
        #expect(progress?.isCancelled == true && progress?.counts.targeted == 0)
    }

    @Test func aMirroredStateGoesToTheOtherDevicesToo() async throws {
        try await begin(tokens: 1, isMirrored: true)
        let phone = try await fixture.place(0, offset: 4, kind: .fcm, user: "ada")
        let task = try await update(1)
        try await fixture.run()
        let mirrored = try #require(try chunks().first { $0.app == fixture.app })
        #expect(mirrored.segments.first?.offsets == [phone.index.offset])
        let content = try PushTask(archived: mirrored.content, of: mirrored.task).content
        #expect(content.message(for: .android)?.data["content_state"] == .string(#"{"step":1}"#))
        #expect(content.message(for: .ios) == nil && task != mirrored.task)
    }

    /// Goal: a start reaches devices with a token for its type, and with a fallback all others.
    @Test(arguments: [false, true]) func aStartReachesDevicesWithATokenForIt(hasFallback: Bool) async throws {
        let plain = try await fixture.place(0, offset: 1)
        let able = try await fixture.place(0, offset: 2)
        let other = try await fixture.place(0, offset: 3)
        for (device, type) in [(able, "Order"), (other, "Match")] {
            var changes = DeviceChanges()
            changes.startTokens[try ActivityType(type)] = try PushToken(
                .liveActivity, text: String(repeating: "ab", count: 40))
            _ = try await fixture.registry.change(device, changes: changes, in: fixture.app)
        }
        var task = fixture.task(1, audience: .everyone)
        if !hasFallback { task.content = TaskContent() }
        var start = ActivityContent(.start, of: id)
        start.type = try ActivityType("Order")
        start.members = JSONObject()
        task.content.activity = start
        fixture.post(task)
        try await fixture.run()
        let reached = try fixture.chunks(.fast, of: task).flatMap(\.segments).flatMap(\.offsets)
        #expect(reached == (hasFallback ? [plain, able, other] : [able]).map(\.index.offset))
    }
}
