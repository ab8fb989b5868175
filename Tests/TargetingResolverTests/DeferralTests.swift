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

/// Devices that are judged at their first mark.
@Suite(.timeLimit(.minutes(5))) struct DeferralTests {
    private let news: TopicName

    init() throws {
        news = try TopicName("news")
    }

    private func minute(_ fixture: ResolverFixture, after minutes: Int64) -> Timestamp {
        Timestamp(milliseconds: (fixture.time.now.milliseconds / 60_000 + minutes) * 60_000)
    }

    /// Goal: each device is sent, deferred or ended, as it is judged, in both lanes. Method: segments with devices of
    /// two providers; half of each waits, in two groups.
    @Test(arguments: [3, 600])
    func devicesAreSentOrDeferredAsTheyAreJudged(count: Int) async throws {
        let fixture = try ResolverFixture()
        var ids: [DeviceID] = []
        for segment in 0..<2 {
            for offset in 0..<count {
                let kind: PushProtocol = offset % 3 == 0 ? .apns : .fcm
                ids.append(
                    try await fixture.place(UInt32(segment), offset: UInt16(offset), kind: kind, on: [news: []]))
            }
        }
        let waiting = ids.filter { $0.index.offset % 2 == 0 }.map(\.index)
        let (soon, late) = (minute(fixture, after: 5), minute(fixture, after: 60))
        fixture.judges.set(.wait(.quietHours, until: soon + .milliseconds(-7)), of: waiting)
        let others = waiting.filter { $0.offset == 2 }
        fixture.judges.set(.wait(.localTime, until: late), of: others)
        let passed = ids[1].index
        fixture.judges.set(.suppress(reason: "local_time_passed"), of: [passed])
        // Judged for a time that has come.
        fixture.judges.set(.wait(.rate, until: fixture.time.now), of: [ids[count + 1].index])

        let task = fixture.task(1, audience: .topic(news))
        fixture.post(task)
        try await fixture.run()
        let sent = ids.map(\.index).filter { $0.offset % 2 == 1 && $0 != passed }
        #expect(try fixture.sent(task) == sent.sorted())
        let states = try await fixture.states(task)
        #expect(Set(states.filter { $0.value == .deferred }.keys) == Set(waiting))
        #expect(states[passed] == .suppressed)
        let results = fixture.bus.messages(Topics.results.channel).map { String(decoding: $0.value, as: UTF8.self) }
        #expect(results.contains { $0.contains(#""reason":"local_time_passed""#) })

        let orders = try fixture.orders(of: task)
        #expect(orders.allSatisfy { $0.attempt == 0 && $0.timing.begins == $0.due })
        #expect(
            orders.flatMap { order in order.offsets.map { DeviceIndex(segment: order.segment.number, offset: $0) } }
                .sorted() == waiting.sorted())
        for order in orders {
            let isLate = order.offsets == [2]
            #expect(order.due == (isLate ? late : soon).milliseconds)
            #expect(order.timing.deferral == (isLate ? .localTime : .quietHours))
            #expect(order.offsets.allSatisfy { ($0 % 3 == 0) == (order.provider == .apns) })
        }
        let summary = try await fixture.ledger.deferrals(
            of: task.id, in: try await fixture.ledger.openSegments(of: task.id))
        #expect(summary.parts[.localTime] == .init(devices: 2, next: late))
        #expect(summary.parts[.quietHours] == .init(devices: waiting.count - 2, next: soon))
        #expect(try await fixture.isResolved(task))
    }

    /// Goal: wherever a resolver is killed, each device that waits has an order and is deferred, and no other is.
    /// Method: each Redis command is a step, and so is the moment before and after each send; a process is killed at
    /// every step.
    @Test func noDeviceIsDeferredWithoutAnOrder() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        var ids: [DeviceID] = []
        for offset in UInt16(0)..<4 { ids.append(try await fixture.place(0, offset: offset, on: [news: []])) }
        let waiting = ids[2...].map(\.index)
        let due = minute(fixture, after: 9)
        fixture.judges.set(.wait(.cap, until: due), of: waiting)
        for steps in 0... {
            let task = fixture.task(UInt64(steps), audience: .topic(news))
            fixture.post(task)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            var hasDied = false
            try await fixture.run { hasDied = true }
            fixture.lifeline.begin()
            let deferred = try await fixture.states(task).filter { $0.value == .deferred }.keys
            #expect(Set(deferred) == Set(waiting), "died after \(steps) steps")
            let orders = try fixture.orders(of: task)
            #expect(!orders.isEmpty && orders.allSatisfy { $0 == orders[0] }, "died after \(steps) steps")
            #expect(orders[0].offsets == waiting.map(\.offset))
            #expect(Set(try fixture.sent(task)) == Set(ids[..<2].map(\.index)), "died after \(steps) steps")
            #expect(try await fixture.isResolved(task))
            guard hasDied else {
                #expect(steps > 8)
                return
            }
        }
    }

    /// Goal: a repeated job does not send a deferred device, though it would be judged otherwise now. Method: the first
    /// delivery defers and is cut off before its job is resolved; then the device may be sent to.
    @Test func aRepeatedJobLeavesDeferredDevicesAlone() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        let id = try await fixture.place(0, offset: 7, on: [news: []])
        let due = minute(fixture, after: 9)
        var repeats = 0
        for steps in 0... {
            fixture.judges.set(.wait(.quietHours, until: due), of: [id.index])
            let task = fixture.task(UInt64(steps), audience: .topic(news))
            fixture.post(task)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            var (hasDied, wasDeferred) = (false, false)
            try await fixture.run {
                hasDied = true
                wasDeferred = try await fixture.states(task)[id.index] == .deferred
                fixture.judges.set(.send, of: [id.index])
            }
            fixture.lifeline.begin()
            if wasDeferred {
                repeats += 1
                #expect(try fixture.sent(task).isEmpty)
                #expect(try await fixture.states(task)[id.index] == .deferred)
            } else if hasDied {
                #expect(Set(try fixture.sent(task)) == [id.index])
            }
            guard hasDied else { break }
        }
        #expect(repeats > 0)
    }

    /// Goal: a device that is left out is reported as suppressed, wherever its resolver is killed: a repeated job does
    /// not judge it again. Method: a process is killed before and after each send.
    @Test func aSuppressedDeviceIsReportedWhereverItsResolverDies() async throws {
        let fixture = try ResolverFixture()
        var ids: [DeviceID] = []
        for offset in UInt16(0)..<3 { ids.append(try await fixture.place(0, offset: offset, on: [news: []])) }
        fixture.judges.set(.suppress(reason: "quiet_hours"), of: ids[1...].map(\.index))
        for steps in 0... {
            let task = fixture.task(UInt64(steps), audience: .topic(news))
            fixture.post(task)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            var hasDied = false
            try await fixture.run { hasDied = true }
            fixture.lifeline.begin()
            let batches = try fixture.bus.messages(Topics.results.channel).map { try ResultBatch(decoding: $0.value) }
            let results = batches.filter { $0.task == task.id }.flatMap(\.results)
            #expect(Set(results.map(\.device)) == Set(ids[1...]), "died after \(steps) steps")
            #expect(results.allSatisfy { $0.state == .suppressed && $0.reason == "quiet_hours" })
            #expect(Set(try fixture.sent(task)) == [ids[0].index], "died after \(steps) steps")
            guard hasDied else {
                #expect(steps > 2)
                return
            }
        }
    }
}
