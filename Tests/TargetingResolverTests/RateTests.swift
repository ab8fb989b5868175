import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Tasks that are sent at a rate, at their first mark.
@Suite(.timeLimit(.minutes(5))) struct RateTests {
    /// Goal: the devices of a second are released together, and no device twice, wherever a resolver is killed. Method:
    /// each Redis command and each send is a step at which the process is killed once.
    @Test func aKilledResolverTakesNoOtherSlots() async throws {
        let news = try TopicName("news")
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        var ids: [DeviceID] = []
        for offset in UInt16(0)..<60 { ids.append(try await fixture.place(0, offset: offset, on: [news: []])) }
        for steps in 0... {
            var task = fixture.task(UInt64(steps), audience: .topic(news))
            task.rules.rate = 10
            fixture.post(task)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            var hasDied = false
            try await fixture.run { hasDied = true }
            fixture.lifeline.begin()
            let sent = Set(try fixture.sent(task))
            let deferred = try await fixture.states(task).filter { $0.value == .deferred }
            #expect(sent.isDisjoint(with: deferred.keys) && sent.count + deferred.count == 60)
            #expect((19...21).contains(sent.count), "died after \(steps) steps")
            // Orders that were repeated are the same.
            let orders = Set(try fixture.orders(of: task))
            #expect(orders.allSatisfy { $0.timing.deferral == .rate && $0.devices.count <= 10 })
            #expect(orders.reduce(0) { $0 + $1.devices.count } == deferred.count, "died after \(steps) steps")
            #expect(try await fixture.isResolved(task))
            guard hasDied else { return }
        }
    }
}
