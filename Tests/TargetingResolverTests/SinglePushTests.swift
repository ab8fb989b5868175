import PushModel
import TaskModel
import TestSupport
import Testing

@testable import targeting_resolver

/// Goal: a single push asks the store no more than it must, since beside a broadcast each question waits behind others.
/// Method: a Redis each command of which is counted.
@Suite(.timeLimit(.minutes(1))) struct SinglePushTests {
    @Test func aSinglePushTakesFewSteps() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        let id = try await fixture.place(0, offset: 1)
        // The first one also learns what the registry holds.
        for number in 1...2 {
            fixture.lifeline.begin()
            let task = fixture.task(UInt64(number), audience: nil, list: .entries([.device(id)]))
            fixture.post(task)
            try await fixture.run()
            #expect(try fixture.sent(task) == [id.index])
        }
        // Side by side: progress, report and record; mark, content with its entry in the list, and agenda.
        let store = 3 + ["begin"].count + 4 + ["resolve"].count
        let send = ["before it is durable", "after"].count
        #expect(fixture.lifeline.steps == store + send)
    }
}
