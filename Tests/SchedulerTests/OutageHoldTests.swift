import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TestSupport
import Testing
import Topics

@testable import Scheduler

/// Orders that are due for a provider in an outage.
@Suite(.timeLimit(.minutes(5))) struct OutageHoldTests {
    private let pauses = OutagePauses(first: .seconds(40), longest: .seconds(40))

    /// Goal: no device is released during a pause, one probe after it, and all devices after the outage. Method:
    /// devices of several segments are due; the clock passes the pause, and the outage is ended as by a sender.
    @Test func ordersOfAnOutageAreHeld() async throws {
        let fixture = try SchedulerFixture()
        let route = ProviderRoute(app: fixture.app, provider: .apns)
        let ids = try await fixture.begin(60)
        let orders = Set(ids.map(\.index.segment)).count
        let pause = fixture.outages.extend(route, by: pauses, jitter: 1, isProbe: false)
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.index.hasCompleted(orders))
            #expect(await fixture.isAtRest())
            let early = try await fixture.released()
            #expect(early == [])

            fixture.time.advance(by: pause + OutageHold.jitter)
            #expect(await fixture.index.hasCompleted(2 * orders))
            #expect(await fixture.isAtRest())
            let probe = try await fixture.released()
            #expect(probe.count == 1)

            fixture.outages.end(route)
            let left = Set(ids.map(\.index)).subtracting(probe)
            fixture.time.advance(by: OutageHold.probeWait + OutageHold.jitter)
            #expect(await fixture.index.hasCompleted(2 * orders + Set(left.map(\.segment)).count))
            let released = try await fixture.released()
            #expect(Set(released) == Set(ids.map(\.index)))
            #expect(released.count == ids.count)
        }
    }

    /// Goal: during an outage, a million small orders do not stay a million entries. Method: orders for one device
    /// each, all of one segment, are due together.
    @Test func smallOrdersWaitTogether() async throws {
        let time = ManualTimeSource()
        let outages = MemoryProviderOutages(time: time)
        let app = try AppID("news")
        _ = outages.extend(ProviderRoute(app: app, provider: .apns), by: pauses, jitter: 1, isProbe: false)
        let orders = (0..<64).map { (number: Int) -> RetryOrder in
            RetryOrder(
                task: TaskID(high: 1, low: 1), segment: SegmentID(app, number: SegmentNumber(rawValue: 7)),
                provider: .apns,
                attempt: 1, due: time.now.milliseconds + Int64(number),
                devices: [RetryOrder.Device(offset: UInt16(number), tag: 1, isSilent: number % 2 == 0)])
        }
        let hold = OutageHold(view: OutageView(outages, time: time), random: SeededRandomSource(seed: 1))
        let sorted = await hold.sort(orders, jobs: [], at: time.now)
        #expect(sorted.orders.isEmpty && sorted.held.count == 1)
        let held = try RetryOrder(decoding: try #require(sorted.held.first).order)
        #expect(Set(held.devices) == Set(orders.flatMap(\.devices)))
        #expect(held.due >= (time.now + pauses.longest).milliseconds)
    }

    /// An outage of one app's provider delays neither another provider's devices nor another app's.
    @Test func othersGoOn() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        for route in [
            ProviderRoute(app: fixture.app, provider: .fcm), ProviderRoute(app: try AppID("shop"), provider: .apns),
        ] {
            _ = fixture.outages.extend(route, by: pauses, jitter: 1, isProbe: false)
        }
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.index.hasCompleted(1))
            let released = try await fixture.released()
            #expect(released == [ids[0].index])
        }
    }

    /// Goal: a parked job is sent once one of its providers is back, and not before. Method: it waits for two
    /// providers, and the outage of one ends.
    @Test func aJobWaitsForAllOfItsProviders() async throws {
        let fixture = try SchedulerFixture()
        let routes = [PushProtocol.apns, .fcm].map { ProviderRoute(app: fixture.app, provider: $0) }
        for route in routes { _ = fixture.outages.extend(route, by: pauses, jitter: 1, isProbe: false) }
        let segments = (3..<6).map { SegmentNumber(rawValue: $0) }
        let job = SegmentJob(
            task: fixture.task, app: fixture.app, lane: .bulk, job: 3, work: .segments(segments, stride: 2))
        let parked = ParkedJob(job, waitingFor: [.apns, .fcm])
        #expect(try ParkedJob(decoding: parked.encoded()) == parked)
        fixture.index.add([RetryEntry(parked, due: fixture.time.now)], to: RetryShard(job))
        try await fixture.withScheduler {
            #expect(await fixture.index.hasCompleted(1))
            #expect(await fixture.isAtRest())
            let waiting = try await fixture.jobs()
            #expect(waiting == [])
            fixture.outages.end(routes[1])
            fixture.time.advance(by: pauses.longest + OutageHold.jitter)
            #expect(await fixture.index.hasCompleted(2))
            let sent = try await fixture.jobs()
            #expect(sent == [job])
        }
    }
}

extension OutageHoldTests {
    /// Goal: a job that a resolver has parked for a moment is released soon after, although the scheduler knows nothing of
    /// it. Method: it is entered while all releasers sleep, and the clock is advanced by their longest sleep.
    @Test func aParkedJobIsReleasedSoon() async throws {
        let fixture = try SchedulerFixture()
        let job = SegmentJob(
            task: fixture.task, app: fixture.app, lane: .bulk, job: 6,
            work: .part(6, chain: SegmentJob.PartChain(stride: 16, count: 38)))
        try await fixture.withScheduler {
            #expect(await fixture.isAtRest())
            let due = fixture.time.now + .milliseconds(200)
            fixture.index.add([RetryEntry(ParkedJob(job, waitingFor: []), due: due)], to: RetryShard(job))
            fixture.time.advance(by: EntryReleaser.jobRestMaximum)
            #expect(await fixture.index.hasCompleted(1))
            let sent = try await fixture.jobs()
            #expect(sent == [job])
        }
    }
}

extension SchedulerFixture {
    fileprivate func jobs() async throws -> [SegmentJob] {
        var jobs: [SegmentJob] = []
        try await bus.scan(Topics.segments.channel(.bulk)) { message in
            jobs.append(try SegmentJob(decoding: message.value))
            return true
        }
        return jobs
    }
}
