import Bus
import MemoryStore
import PushModel
import RedisClient
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Tasks for many devices, which are split into jobs.
@Suite(.timeLimit(.minutes(3))) struct BulkLaneTests {
    private let fixture: ResolverFixture
    private let news: TopicName

    init() throws {
        fixture = try ResolverFixture()
        news = try TopicName("news")
    }

    private func fill(_ segments: Int, devices: Int) async throws -> [DeviceIndex] {
        var indices: [DeviceIndex] = []
        for segment in 0..<segments {
            for offset in 0..<devices {
                indices.append(try await fixture.place(UInt32(segment), offset: UInt16(offset), on: [news: []]).index)
            }
        }
        return indices
    }

    @Test func aTaskForManyGoesSegmentBySegment() async throws {
        let indices = try await fill(7, devices: 200)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        let plan = try #require(try await fixture.ledger.progress(of: task.id)?.plan)
        #expect(!plan.isFast && plan.jobs == 7)
        #expect(try fixture.sent(task) == indices)
        #expect(try await fixture.marked(task) == indices)
        #expect(try await fixture.isResolved(task))
        #expect(try fixture.chunks(.fast, of: task).isEmpty)
        for job in 0..<7 { #expect(try await fixture.archive.devices(job: job, of: task.id) == nil) }
        #expect(try await fixture.agenda.count() == 1)
    }

    /// The limit of the fast lane: it accepts 1,000 devices.
    @Test func aThousandDevicesAreFew() async throws {
        let indices = try await fill(2, devices: 500)
        let task = fixture.task(1, audience: .everyone)
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == indices)
        #expect(try fixture.chunks(.fast, of: task).map(\.deviceCount) == [500, 500])
        let one = try await fixture.place(9, offset: 9)
        let larger = fixture.task(2, audience: .everyone)
        fixture.post(larger)
        try await fixture.run()
        #expect(try fixture.sent(larger) == indices + [one.index])
        #expect(try fixture.chunks(.fast, of: larger).isEmpty)
    }

    /// Goal: a filter that matches few of many devices makes jobs, since counting its devices takes the records of all;
    /// with a topic of few subscribers only their records are read. Method: the same filter alone and with a topic.
    @Test func aFilterIsDecidedByTheRecords() async throws {
        let others = try await fill(3, devices: 400)
        let sport = try TopicName("sport")
        let chosen = [
            try await fixture.place(1, offset: 900, on: [sport: .ignoreMessage], user: "u").index,
            try await fixture.place(2, offset: 901, on: [sport: []], user: "v").index,
        ]
        _ = try await fixture.place(2, offset: 902, on: [sport: []])
        let rare = fixture.task(1, audience: .filter(.user(true)))
        let narrow = fixture.task(2, audience: .all([.topic(sport), .filter(.user(true))]))
        let common = fixture.task(3, audience: .all([.not(.filter(.user(true))), .not(.topic(sport))]))
        for task in [rare, narrow, common] { fixture.post(task) }
        try await fixture.run()
        #expect(try fixture.sent(rare) == chosen)
        #expect(try fixture.sent(narrow) == chosen)
        #expect(try fixture.sent(common) == others)
        #expect(try fixture.silent(rare).isEmpty)
        #expect(try fixture.silent(narrow) == [chosen[0]])
        let plans = try await [rare, narrow, common].concurrentMap(atOnce: 3) { [fixture] task in
            try await fixture.ledger.progress(of: task.id)?.plan
        }
        #expect(plans.map { $0?.isFast } == [false, true, false])
    }

    /// Goal: relative times of a filter are counted from the task's beginning, however late its jobs run.
    @Test func timesAreCountedFromTheBeginning() async throws {
        let id = try await fixture.place(0, offset: 1, on: [news: []])
        var device = try #require(try await fixture.registry.device(id, in: fixture.app)).device
        device.updated = UInt32(fixture.time.now.milliseconds / 1_000)
        try await fixture.change(id, content: .device(device))
        var task = fixture.task(
            1, audience: .filter(.seen(try TimeRange(since: .ago(.seconds(60)), before: nil))))
        task.sendAt = Timestamp(milliseconds: Int64(device.updated) * 1_000) + .seconds(60)
        var later = fixture.task(2, audience: task.target.audience)
        later.sendAt = task.begins + .seconds(1)
        for task in [task, later] { fixture.post(task) }
        try await fixture.run()
        #expect(try fixture.sent(task) == [id.index])
        #expect(try fixture.sent(later).isEmpty)
    }

    /// Goal: a task has at most as many jobs on the bus as its window has chains. Method: checked after planning and
    /// after each handled job.
    @Test func aTaskHasAWindowOfJobsOnTheBus() async throws {
        _ = try await fill(8, devices: 510)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        let jobs = try fixture.bus.messages(Topics.segments.channel(.bulk)).map { try SegmentJob(decoding: $0.value) }
        #expect(jobs.map(\.job) == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(jobs.prefix(ResolverFixture.window).allSatisfy { $0.job < ResolverFixture.window })
    }

    /// Goal: during an outage of the devices' provider, at most a window of a task's segments is resolved, and none is
    /// lost. Method: the outage begins before the task; the parked jobs are then sent as by the scheduler.
    @Test func aTasksWindowIsNotRefilledInAnOutage() async throws {
        let indices = try await fill(8, devices: 510)
        let route = ProviderRoute(app: fixture.app, provider: .apns)
        _ = fixture.outages.extend(route, by: OutagePauses(), jitter: 1, isProbe: false)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task).count == ResolverFixture.window * 510)
        #expect(try await !fixture.isResolved(task))
        fixture.time.advance(by: .seconds(15))
        fixture.outages.end(route)
        var parked = 0
        for shard in RetryShard.all {
            for entry in fixture.retries.lease(upTo: 64, for: .seconds(60), in: shard).entries {
                let job = try ParkedJob(decoding: entry.order)
                #expect(job.providers == [.apns])
                fixture.bus.append([Topics.segments.message(job.job, key: job.job.key, lane: .bulk)])
                parked += 1
            }
        }
        #expect(parked == ResolverFixture.window)
        try await fixture.run()
        #expect(try fixture.sent(task) == indices)
        #expect(try await fixture.isResolved(task))
    }

    /// Devices of another provider in the same segments are not delayed.
    @Test func anOutageOfOneProviderKeepsNoOthers() async throws {
        var indices = try await fill(8, devices: 510)
        for segment in 0..<8 {
            indices.append(try await fixture.place(UInt32(segment), offset: 4_000, kind: .fcm, on: [news: []]).index)
        }
        _ = fixture.outages.extend(
            ProviderRoute(app: fixture.app, provider: .apns), by: OutagePauses(), jitter: 1, isProbe: false)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == indices.sorted())
        #expect(try await fixture.isResolved(task))
    }

    /// Goal: segments with few members share chunks.
    @Test func sparseSegmentsShareChunks() async throws {
        let indices = try await fill(101, devices: 10)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == indices)
        #expect(try fixture.chunks(.bulk, of: task).count <= 6)
        #expect(try await fixture.isResolved(task))
    }

    /// Goal: a list in parts reaches every device, whatever the mix of its entries. Method: users with one or two
    /// devices, devices by id, and tokens, in 13 parts; some of them are also members of the audience.
    @Test func aListInPartsIsComplete() async throws {
        var expected = try await fill(3, devices: 400)
        var entries: [TargetEntry] = []
        for number in 0..<2_000 {
            let segment = UInt32(number % 5)
            let user = "user \(number)"
            let id = try await fixture.place(segment, offset: UInt16(1_000 + number), user: user)
            expected.append(id.index)
            switch number % 3 {
            case 0: entries.append(.device(id))
            case 1:
                entries.append(.alias(try Alias(.externalUser, value: user)))
                expected.append(try await fixture.place(6, offset: UInt16(number), kind: .fcm, user: user).index)
            default:
                let digits = String(id.index.rawValue, radix: 16)
                let text = String(repeating: "0", count: 64 - digits.count) + digits
                entries.append(.token(try PushToken(.apns, text: text)))
            }
        }
        entries += try (0..<300).map { _ in .alias(try Alias(.externalUser, value: "nobody")) }
        let chunks = entries.chunks(of: 180)
        let list = TargetList.parts(count: chunks.count, entries: entries.count)
        let task = fixture.task(1, audience: .topic(news), list: list)
        let parts = chunks.enumerated().map { number, chunk in
            TaskPart(task: task.id, number: number, entries: Array(chunk))
        }
        fixture.post(task, parts: parts)
        try await fixture.run()
        expected.sort()
        #expect(try fixture.sent(task) == expected)
        #expect(try await fixture.marked(task) == expected)
        #expect(try await fixture.isResolved(task))
    }

    @Test func aShortListInPartsIsFast() async throws {
        let ids = try await [fixture.place(0, offset: 1), fixture.place(2, offset: 1)]
        let task = fixture.task(1, audience: nil, list: .parts(count: 2, entries: 2))
        fixture.post(
            task, parts: ids.enumerated().map { TaskPart(task: task.id, number: $0, entries: [.device($1)]) })
        try await fixture.run()
        #expect(try fixture.sent(task) == ids.map(\.index))
        #expect(try fixture.chunks(.fast, of: task).count == 1)
    }

    /// Goal: two long lists take turns, and a push to one device overtakes both, since each has a window of jobs on the
    /// bus. Method: lists of 125 parts; after each message the jobs on the bus are counted, and in the middle a push is
    /// posted.
    @Test func longListsTakeTurns() async throws {
        let one = try await fixture.place(9, offset: 9)
        let count = 125
        var ids: [DeviceID] = []
        for number in 0..<count { ids.append(try await fixture.place(UInt32(number % 7), offset: UInt16(number))) }
        let list = TargetList.parts(count: count, entries: 50_000)
        let lists = (1...2).map { fixture.task($0, audience: nil, list: list) }
        let single = fixture.task(3, audience: nil, list: .entries([.device(one)]))
        for task in lists {
            fixture.post(
                task, parts: ids.enumerated().map { TaskPart(task: task.id, number: $0, entries: [.device($1)]) })
        }
        let window = ResolverFixture.window
        var widest = 0
        var (whenPosted, whenSent): (Int?, Int?)
        try await fixture.run(afterEach: {
            widest = max(widest, try lists.map { try fixture.waitingJobs(of: $0).count }.max() ?? 0)
            let sent = try lists.map { try fixture.sent($0).count }
            #expect(abs(sent[0] - sent[1]) <= window, "the lists do not take turns")
            if whenPosted == nil, sent[0] > count / 3 {
                fixture.post(single)
                whenPosted = sent[0] + sent[1]
            }
            if whenSent == nil, try !fixture.sent(single).isEmpty { whenSent = sent[0] + sent[1] }
        })
        #expect(widest == ResolverFixture.window)
        #expect(try #require(whenSent) - #require(whenPosted) <= 2 * window, "the single push was behind the lists")
        for task in lists {
            #expect(try fixture.sent(task) == ids.map(\.index).sorted())
            #expect(try await fixture.isResolved(task))
        }
    }

    /// Goal: a chain whose part comes a moment after its task goes on within a fraction of a second, and loses none of
    /// the parts behind it. Method: of 20 parts only two are in the archive when the jobs come; the others follow.
    @Test func aChainWaitsBrieflyForItsParts() async throws {
        var ids: [DeviceID] = []
        for number in 0..<20 { ids.append(try await fixture.place(0, offset: UInt16(number))) }
        let task = fixture.task(1, audience: nil, list: .parts(count: 20, entries: 1_001))
        let parts = ids.enumerated().map { TaskPart(task: task.id, number: $0, entries: [.device($1)]) }
        fixture.post(task, parts: [parts[0], parts[4]])
        try await fixture.run()
        #expect(try fixture.sent(task) == [ids[0].index])
        #expect(try fixture.waitingJobs(of: task).isEmpty)
        for part in parts {
            try await fixture.archive.keep(TaskMessage.part(part).encoded(), number: part.number, of: task.id)
        }
        #expect(try fixture.releaseParkedJobs() == 0)
        fixture.time.advance(by: JobParking.firstPause)
        #expect(try fixture.releaseParkedJobs() == ResolverFixture.window)
        try await fixture.run()
        #expect(try fixture.sent(task) == ids.map(\.index))
        #expect(try await fixture.isResolved(task))
        #expect(!fixture.metrics.exposition().contains("carillon_resolver_lost_parts_total 1"))
    }

    /// Goal: a part that stays away does not delay the parts behind it, and is looked for ever more rarely.
    @Test func aPartThatStaysAwayKeepsNoOthers() async throws {
        var ids: [DeviceID] = []
        for number in 0..<20 { ids.append(try await fixture.place(0, offset: UInt16(number))) }
        let task = fixture.task(1, audience: nil, list: .parts(count: 20, entries: 1_001))
        let parts = ids.enumerated().map { TaskPart(task: task.id, number: $0, entries: [.device($1)]) }
        fixture.post(task, parts: Array(parts[1...]))
        try await fixture.run()
        let behind = stride(from: 0, to: 20, by: ResolverFixture.window).map { ids[$0].index }
        #expect(try fixture.sent(task) == ids.map(\.index).filter { !behind.contains($0) })
        fixture.time.advance(by: JobParking.youth)
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.run()
        #expect(try fixture.sent(task) == ids.dropFirst().map(\.index))
        #expect(try await !fixture.isResolved(task))
        for (age, pause) in [(10, Duration.seconds(1)), (60, .seconds(6)), (300, .seconds(30)), (9_999, .seconds(30))] {
            #expect(JobParking.pause(atAge: .seconds(age)) == pause)
        }
        fixture.time.advance(by: .seconds(1))
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.archive.keep(TaskMessage.part(parts[0]).encoded(), number: 0, of: task.id)
        try await fixture.run()
        #expect(try fixture.sent(task) == ids.map(\.index))
        #expect(try await fixture.isResolved(task))
    }

    /// Goal: each entry of a list that names no device of the app is counted once, also one whose device is of another
    /// platform or removed only after the job decided. Method: jobs are handled twice, since the bus refuses their first
    /// output, and in between a device is removed and another one registered.
    @Test func entriesWithoutADeviceAreCountedOnce() async throws {
        let known = try await fixture.place(0, offset: 1, user: "ann")
        let second = try await fixture.place(1, offset: 1, user: "ann")
        let other = try await fixture.place(2, offset: 1, kind: .fcm)
        let removed = try await fixture.place(3, offset: 1)
        let named: [TargetEntry] = [
            .device(known), .alias(try Alias(.externalUser, value: "ann")), .device(other), .device(removed),
        ]
        let unknown: [TargetEntry] = [
            .device(DeviceID(index: known.index, tag: known.tag &+ 1)),
            .device(DeviceID(index: DeviceIndex(rawValue: 77 << 12), tag: 1)),
            .alias(try Alias(.externalUser, value: "late")),
            .token(try PushToken(.apns, text: String(repeating: "f", count: 64))),
        ]
        let task = fixture.task(
            1, audience: nil, list: .parts(count: 2, entries: 1_001), platforms: [.ios])
        let parts = [
            TaskPart(task: task.id, number: 0, entries: named + unknown),
            TaskPart(task: task.id, number: 1, entries: unknown + unknown),
        ]
        fixture.post(task, parts: parts)
        fixture.bus.refuse(1)
        await #expect { try await fixture.run() } throws: { ($0 as? BusError)?.code == .full }
        try await fixture.change(removed, content: .device(nil))
        let late = try await fixture.place(4, offset: 1, user: "late")
        #expect(try await fixture.ledger.progress(of: task.id)?.unmatched == 0)
        try await fixture.run()
        #expect(try fixture.sent(task) == [known, second, late].map(\.index))
        // The second part was searched after the user's device was registered.
        #expect(try await fixture.ledger.progress(of: task.id)?.unmatched == 4 + 6)
        let finished = fixture.task(2, audience: nil, list: .parts(count: 2, entries: 1_001), platforms: [.ios])
        fixture.post(
            finished, parts: parts.map { TaskPart(task: finished.id, number: $0.number, entries: $0.entries) })
        try await fixture.run()
        // Its removed device is one of them now.
        #expect(try await fixture.ledger.progress(of: finished.id)?.unmatched == 4 + 6)
    }

    /// Goal: the resolver waits for a missing part, but not longer than the deadline.
    @Test func aMissingPartIsWaitedForUntilTheDeadline() async throws {
        let ids = try await [fixture.place(0, offset: 1), fixture.place(2, offset: 1)]
        let task = fixture.task(1, audience: nil, list: .parts(count: 2, entries: 2))
        let parts = ids.enumerated().map { TaskPart(task: task.id, number: $0, entries: [.device($1)]) }
        fixture.post(task, parts: [parts[0]])
        try await fixture.run()
        #expect(try fixture.sent(task) == [ids[0].index])
        let late = fixture.task(2, audience: nil, list: .parts(count: 2, entries: 2))
        try await fixture.archive.keep(
            TaskMessage.part(parts[1]).encoded(), number: 1, of: task.id)
        #expect(try fixture.releaseParkedJobs() == 0)
        fixture.time.advance(by: JobParking.firstPause)
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.run()
        #expect(try fixture.sent(task) == ids.map(\.index))
        #expect(try await fixture.isResolved(task))
        fixture.post(late)
        try await fixture.run()
        #expect(try await !fixture.isResolved(late))
        fixture.time.advance(by: .seconds(3_600))
        #expect(try fixture.releaseParkedJobs() == 2)
        try await fixture.run()
        #expect(try await fixture.isResolved(late))
        #expect(try fixture.sent(late) == [])
        #expect(fixture.metrics.exposition().contains("carillon_resolver_lost_parts_total 2"))
    }

    /// Goal: a segment that the registry has lost delays no other task and no other segment, even of its own task.
    /// Method: a task for devices of four segments, one of which loses its header and gets it back.
    @Test func aLostSegmentKeepsNoOthers() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        var indices: [DeviceIndex] = []
        for segment in 0..<4 {
            indices.append(try await fixture.place(UInt32(segment), offset: 3, on: [news: []]).index)
        }
        _ = try await redis.send(RedisCommand("RENAME", "seg:{news:1}", "away"))
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        #expect(try fixture.sent(task) == [indices[0], indices[2], indices[3]])
        fixture.time.advance(by: JobParking.pause)
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.run()
        #expect(try await !fixture.isResolved(task))

        _ = try await redis.send(RedisCommand("RENAME", "away", "seg:{news:1}"))
        fixture.time.advance(by: JobParking.pause)
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.run()
        #expect(try fixture.sent(task) == indices)
        #expect(try await fixture.isResolved(task))
        await redis.close()
    }

    /// Goal: a task whose segment stays lost still ends.
    @Test func aLostSegmentIsLeftOutAfterTheDeadline() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        let redis = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error), metrics: Metrics())
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        _ = try await redis.send(RedisCommand("DEL", "seg:{news:0}"))
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        #expect(try await !fixture.isResolved(task))
        fixture.time.advance(by: .seconds(3_600))
        #expect(try fixture.releaseParkedJobs() == 1)
        try await fixture.run()
        #expect(try await fixture.isResolved(task))
        #expect(try fixture.sent(task).isEmpty)
        await redis.close()
    }

    @Test func aJobWithoutALedgerSendsNothing() async throws {
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        let job = SegmentJob(
            task: fixture.task(1, audience: nil).id, app: fixture.app, lane: .bulk, job: 0,
            work: .segments([0, 1].map { SegmentNumber(rawValue: $0) }, stride: 1))
        fixture.bus.append([Topics.segments.message(job, key: nil, lane: .bulk)])
        try await fixture.run()
        #expect(fixture.bus.messages(Topics.audience.channel(.bulk)).isEmpty)
        #expect(fixture.bus.messages(Topics.segments.channel(.bulk)).count == 1)
    }

    /// Goal: a chain does not advance while `audience` is full: each attempt would otherwise start another chain.
    @Test func aFullBusHoldsTheChain() async throws {
        let indices = try await fill(4, devices: 510)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        fixture.bus.refuse(2)
        for _ in 0..<2 {
            await #expect { try await fixture.run() } throws: { ($0 as? BusError)?.code == .full }
            #expect(fixture.bus.messages(Topics.segments.channel(.bulk)).count == ResolverFixture.window)
        }
        try await fixture.run()
        #expect(try fixture.sent(task) == indices)
        #expect(fixture.bus.messages(Topics.segments.channel(.bulk)).count == 4)
    }

    @Test func aBroadcastThatIsCancelledHalfWayEndsWhole() async throws {
        let indices = try await fill(4, devices: 510)
        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        fixture.bus.refuse(1)
        await #expect { try await fixture.run() } throws: { ($0 as? BusError)?.code == .full }
        _ = try await fixture.ledger.cancel(task.id, in: SegmentID(fixture.app, number: SegmentNumber(rawValue: 3)))
        try await fixture.run()
        #expect(try await fixture.isResolved(task))
        let states = try await fixture.states(task)
        #expect(states.keys.sorted() == indices)
        let reported = try fixture.bus.messages(Topics.results.channel).flatMap {
            try ResultBatch(decoding: $0.value).results.map(\.device.index)
        }
        #expect(Set(reported) == Set(states.filter { $0.value == .cancelled }.keys))
        #expect(!reported.isEmpty)
        #expect(Set(reported).isDisjoint(with: try fixture.sent(task)))
    }

    /// Goal: jobs of a task that Redis has lost are neither done nor dropped until a rebuild has decided about the
    /// task; after that they do nothing, whatever their number.
    @Test func jobsOfALostLedgerWaitForTheRebuild() async throws {
        _ = try await fill(1, devices: 10)
        let task = fixture.task(1, audience: .topic(news))
        let job = SegmentJob(
            task: task.id, app: fixture.app, lane: .bulk, job: 7,
            work: .segments([SegmentNumber(rawValue: 0), SegmentNumber(rawValue: 9)], stride: 3))
        fixture.bus.append([Topics.segments.message(job, key: nil, lane: .bulk)])
        let refill = try await fixture.registry.beginRebuild()
        await #expect(throws: TemporarilyMissingError.self) { try await fixture.run() }
        let plan = TaskPlan(
            app: fixture.app, jobs: 1, isFast: false, deadline: task.deadline, policy: .atLeastOnce)
        #expect(try await fixture.ledger.beginRestoring(task.id, plan: plan))
        try await fixture.ledger.endRestoring(task.id, plan: plan)
        try await refill.finish()
        try await fixture.run()
        #expect(try fixture.sent(task).isEmpty)
        #expect(fixture.bus.messages(Topics.segments.channel(.bulk)).count == 1)
        #expect(fixture.bus.next([Topics.segments.channel(.bulk)])?.number == nil)
    }
}
