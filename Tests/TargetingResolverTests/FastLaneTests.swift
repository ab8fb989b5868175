import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Tasks for few devices, which are resolved immediately.
@Suite(.timeLimit(.minutes(3))) struct FastLaneTests {
    private let fixture: ResolverFixture
    private let news: TopicName
    private let sport: TopicName

    init() throws {
        fixture = try ResolverFixture()
        news = try TopicName("news")
        sport = try TopicName("sport")
    }

    /// A key that is not a task's key identifies no task.
    @Test func aTaskThatCannotBeReadIsKnownByItsKey() async throws {
        let task = fixture.task(1, audience: .topic(news))
        for key in [nil, [], Array("tasks".utf8), [255, 0]] { try await fixture.giveUp(key: key, reason: "no") }
        #expect(try await fixture.archive.reasonGivenUp(task.id) == nil)
        try await fixture.giveUp(key: Array(task.id.key.utf8), reason: "it is of version 9")
        #expect(try await fixture.archive.reasonGivenUp(task.id) == "it is of version 9")
    }

    /// Goal: the task of a moment has the time at which it was sent, for its status and its report. Method: it waits with
    /// another time.
    @Test func aTaskReleasedByAMomentHasItsTime() async throws {
        let now = fixture.time.now
        var task = fixture.task(1, audience: nil)
        task.window = DeliveryWindow(
            from: now, to: now + .seconds(600), user: try Samples.user("user-1"), method: .contextAware)
        task.sendAt = now + .seconds(550)
        try await fixture.archive.schedule(TaskMessage.task(task).encoded(), of: task.id, entry: task.entry)
        task.sendAt = now
        fixture.post(task)
        try await fixture.run()
        #expect(try await fixture.archive.content(of: task.id) == TaskMessage.task(task).encoded())
    }

    /// Goal: a repeated task of which nothing is stored any more is not sent again. Method: it is compared with a task
    /// of the same age that was never done.
    @Test func whatWasDoneLongAgoIsLeftAlone() async throws {
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        let (done, late) = (fixture.task(1, audience: .topic(news)), fixture.task(2, audience: .topic(news)))
        try await fixture.archive.keep(
            TaskMessage.task(late).encoded(), of: late.id,
            entry: TaskEntry(app: late.app, begins: late.created, deadline: late.deadline))
        fixture.time.advance(by: TaskArchiveBounds.forgettingAge)
        fixture.post(done)
        fixture.post(late)
        try await fixture.run()
        #expect(try fixture.sent(done).isEmpty)
        #expect(try await fixture.ledger.progress(of: done.id) == nil)
        #expect(try fixture.sent(late).count == 1)
    }

    /// Goal: a reported task is not sent again after its ledger is gone. Method: a task whose report is still being
    /// posted, so that its content is kept; one with only the report's stage left and its content stored again.
    @Test(arguments: [0, 7_200]) func aReportedTaskIsNotPlannedAgain(age: Int) async throws {
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        let (posted, repeated) = (fixture.task(1, audience: .topic(news)), fixture.task(2, audience: .topic(news)))
        for task in [posted, repeated] {
            try await fixture.archive.keep(
                TaskMessage.task(task).encoded(), of: task.id,
                entry: TaskEntry(app: task.app, begins: task.created, deadline: task.deadline))
        }
        _ = try await fixture.archive.fix(report: [1], of: posted.id)
        try await fixture.archive.advance(reportOf: repeated.id, to: .settled)
        fixture.time.advance(by: .seconds(age))
        for task in [posted, repeated] { fixture.post(task) }
        try await fixture.run()
        for task in [posted, repeated] {
            #expect(try fixture.sent(task).isEmpty)
            #expect(try await fixture.ledger.progress(of: task.id) == nil)
        }
    }

    /// Goal: a task that was cancelled before its time is closed without devices, as cancelled, also if the store has
    /// lost the cancel. Method: the withdrawn task alone, twice.
    @Test func aWithdrawnTaskHasNoDevices() async throws {
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        var task = fixture.task(1, audience: .topic(news))
        task.sendAt = task.created + .seconds(86_400)
        for _ in 0..<2 {
            fixture.post(task.withdrawn)
            try await fixture.run()
        }
        #expect(try fixture.sent(task).isEmpty)
        let progress = try #require(try await fixture.ledger.progress(of: task.id))
        #expect(progress.isCancelled && progress.counts.targeted == 0)
        #expect(progress.jobsResolved == progress.plan.jobs)
        #expect(try await fixture.agenda.take(upTo: 9, for: .seconds(1)) == [task.id])
        let listed = try await fixture.archive.tasks(of: fixture.app, before: nil, limit: 9)
        #expect(listed.map(\.begins) == [fixture.time.now])
    }

    /// A task that is withdrawn while it is released is planned as it was, and its cancel ends its devices.
    @Test func aTaskThatWasReleasedIsNotWithdrawn() async throws {
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        var task = fixture.task(1, audience: .topic(news))
        task.sendAt = task.created
        fixture.post(task)
        fixture.post(task.withdrawn)
        try await fixture.run()
        let progress = try #require(try await fixture.ledger.progress(of: task.id))
        #expect(progress.counts.targeted == 1)
    }

    @Test func fewDevicesOfSeveralSegmentsShareAChunk() async throws {
        var ids: [DeviceID] = []
        for segment in 0..<5 { ids.append(try await fixture.place(UInt32(segment), offset: 7, on: [news: []])) }
        _ = try await fixture.place(1, offset: 8)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        let chunks = try fixture.chunks(.fast, of: task)
        #expect(chunks.count == 1)
        #expect(chunks.first?.lane == .fast && chunks.first?.attempt == 0)
        #expect(try fixture.sent(task) == ids.map(\.index).sorted())
        #expect(try await fixture.marked(task) == ids.map(\.index).sorted())
        #expect(chunks.first?.content == TaskMessage.task(task).encoded())
        let record = try #require(chunks.first?.segments.first?.device(at: 0))
        #expect(DeviceID(index: ids[0].index, tag: record.tag) == ids[0])
        let progress = try #require(try await fixture.ledger.progress(of: task.id))
        #expect(progress.plan.isFast && progress.plan.jobs == 1 && progress.jobsResolved == 1)
        #expect(progress.plan.deadline == task.deadline)
        #expect(try await fixture.agenda.count() == 1)
        #expect(try await fixture.archive.content(of: task.id) == TaskMessage.task(task).encoded())
    }

    @Test func aLongTaskStaysInTheArchive() async throws {
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        var task = fixture.task(1, audience: .topic(news))
        task.content.message?.body = LocalizedText(String(repeating: "a", count: AudienceChunk.contentBytesMaximum))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.chunks(.fast, of: task).map(\.content) == [[]])
    }

    /// However many of the task's topics a device has, and even if the list names it too.
    @Test func aDeviceIsSentOnOnce() async throws {
        let both = try await fixture.place(0, offset: 1, on: [news: [], sport: []], user: "ann")
        let one = try await fixture.place(0, offset: 2, on: [sport: []])
        let user = try await fixture.place(3, offset: 3, kind: .fcm, user: "ann")
        let list: [TargetEntry] = [
            .alias(try Alias(.externalUser, value: "ann")), .device(both), .device(user),
            .token(try PushToken(.fcm, text: String(repeating: "0", count: 60) + "3003")),
        ]
        let task = fixture.task(1, audience: .any([.topic(news), .topic(sport)]), list: .entries(list))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == [both, one, user].map(\.index))
    }

    @Test func aGuessedIDMatchesNoDevice() async throws {
        let id = try await fixture.place(0, offset: 1)
        let entries: [TargetEntry] = [
            .device(DeviceID(index: id.index, tag: id.tag &+ 1)),
            .device(DeviceID(index: DeviceIndex(rawValue: 9), tag: 1)),
            .device(DeviceID(index: DeviceIndex(rawValue: 5 << 12), tag: 1)),
            .alias(try Alias(.externalUser, value: "nobody")),
        ]
        let task = fixture.task(1, audience: nil, list: .entries(entries))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == [])
        #expect(try await fixture.ledger.progress(of: task.id)?.unmatched == 4)
        let mended = fixture.task(2, audience: nil, list: .entries(entries + [.device(id)]))
        fixture.post(mended)
        try await fixture.run()
        #expect(try fixture.sent(mended) == [id.index])
        fixture.post(mended)
        try await fixture.run()
        let progress = try #require(try await fixture.ledger.progress(of: mended.id))
        #expect(progress.plan.isFast && progress.unmatched == 4)
    }

    @Test func aPlatformWithoutAPayloadIsNotTargeted() async throws {
        let apple = try await fixture.place(0, offset: 1, kind: .apns, on: [news: []])
        let google = try await fixture.place(0, offset: 2, kind: .fcm, on: [news: []])
        let huawei = try await fixture.place(0, offset: 3, kind: .huawei, on: [news: []])
        for (number, platforms, expected) in [
            (1, [Platform.ios], [apple]), (2, [.android], [google, huawei]), (3, [.web], []),
        ] {
            let task = fixture.task(UInt64(number), audience: .topic(news), platforms: Set(platforms))
            fixture.post(task)
            try await fixture.run()
            #expect(try fixture.sent(task) == expected.map(\.index))
            #expect(try await fixture.marked(task) == expected.map(\.index))
        }
    }

    @Test func whoIgnoresMessagesIsSentSilently() async throws {
        let quiet = try await fixture.place(0, offset: 1, on: [news: .ignoreMessage])
        let loud = try await fixture.place(0, offset: 2, on: [news: .ignoreMessage, sport: []])
        let listed = try await fixture.place(0, offset: 3, on: [news: .ignoreMessage])
        let task = fixture.task(1, audience: .any([.topic(news), .topic(sport)]), list: .entries([.device(listed)]))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == [quiet, loud, listed].map(\.index))
        #expect(try fixture.silent(task) == [quiet.index])
    }

    @Test func aTaskWithoutDevicesIsResolvedAndCheckedAtOnce() async throws {
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        #expect(try await fixture.isResolved(task))
        #expect(try await fixture.agenda.take(upTo: 9, for: .seconds(1)) == [task.id])
        #expect(try await fixture.ledger.close([], of: task.id)?.closed != nil)
    }

    @Test func aRepeatedTaskDoesNothingMore() async throws {
        let id = try await fixture.place(0, offset: 1, on: [news: []])
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        fixture.post(task)
        try await fixture.run()
        _ = try await fixture.place(0, offset: 2, on: [news: []])
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == [id.index])
        #expect(try await fixture.ledger.decidedDevices(of: task.id) == nil)
    }

    /// Every device ends when it is marked, and gets a result.
    @Test func whatWasCancelledBeforeIsNotSent() async throws {
        let id = try await fixture.place(4, offset: 1, kind: .fcm, on: [news: []])
        let task = fixture.task(1, audience: .topic(news))
        _ = try await fixture.ledger.cancel(task.id, in: SegmentID(fixture.app, number: SegmentNumber(rawValue: 0)))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == [])
        #expect(try await fixture.states(task) == [id.index: .cancelled])
        #expect(try await fixture.isResolved(task))
        let results = try fixture.bus.messages(Topics.results.channel).map { try ResultBatch(decoding: $0.value) }
        let result = DeviceResult(
            device: id, provider: .fcm, state: .cancelled, attempt: 0, status: 0, reason: "cancelled")
        #expect(results.flatMap(\.results) == [result])
    }

    /// Goal: a device removed between its mark and its chunk does not stay open. Method: the bus refuses the chunk
    /// until the device is removed.
    @Test func whoIsRemovedBeforeTheChunkEnds() async throws {
        let ids = try await [fixture.place(0, offset: 1, on: [news: []]), fixture.place(0, offset: 2, on: [news: []])]
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        fixture.bus.refuse(1)
        await #expect { try await fixture.run() } throws: { ($0 as? BusError)?.code == .full }
        #expect(try await fixture.states(task) == [ids[0].index: .targeted, ids[1].index: .targeted])
        try await fixture.change(ids[1], content: .device(nil))
        try await fixture.run()
        #expect(try fixture.sent(task) == [ids[0].index])
        #expect(try await fixture.states(task) == [ids[0].index: .targeted, ids[1].index: .suppressed])
        let place = SegmentID(fixture.app, number: ids[1].index.segment)
        #expect(try await fixture.ledger.detail(of: 2, task: task.id, in: place)?.reason == RemovedTargets.reason)
        #expect(try await fixture.isResolved(task))
    }

    @Test func anAudienceBeyondBoundsIsPoison() async throws {
        var audience = Audience.topic(news)
        for _ in 0..<Audience.depthMaximum { audience = .not(audience) }
        fixture.post(fixture.task(1, audience: audience))
        await #expect(throws: PoisonMessageError.self) { try await fixture.run() }
        #expect(try await fixture.ledger.progress(of: fixture.task(1, audience: nil).id) == nil)
    }
}
