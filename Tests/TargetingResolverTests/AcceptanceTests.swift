import Bus
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Goal: webhooks are told of each accepted message. Method: tasks with and without a window, for no device.
@Suite struct AcceptanceTests {
    private func message(_ number: UInt64, _ fixture: ResolverFixture) throws -> PushTask {
        var task = fixture.task(number, audience: nil)
        let now = fixture.time.now
        task.window = DeliveryWindow(
            from: now, to: now + .seconds(600), user: try Samples.user("user-1"), method: .traditional)
        return task
    }

    @Test func aTaskWithAWindowIsTold() async throws {
        let fixture = try ResolverFixture()
        let task = try message(1, fixture)
        fixture.post(task)
        fixture.post(fixture.task(2, audience: nil))
        var released = try message(3, fixture)
        // The scheduler told of it.
        released.sendAt = fixture.time.now
        fixture.post(released)
        fixture.post(try message(4, fixture).withdrawn)
        try await fixture.run()
        let told = try fixture.bus.messages(Topics.statuses.channel).map { try MessageAcceptance(decoding: $0.value) }
        #expect(told == [MessageAcceptance(task: task.id, app: task.app)])
    }
}
