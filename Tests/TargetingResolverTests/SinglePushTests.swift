import PushModel
import TaskModel
import TestSupport
import Testing

@testable import TargetingResolver

/// Goal: a single push makes no unnecessary store requests, since during a broadcast each of them waits in a queue.
/// Method: every command to Redis is counted.
@Suite(.timeLimit(.minutes(3))) struct SinglePushTests {
    @Test func aSinglePushTakesFewSteps() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        let id = try await fixture.place(0, offset: 1)
        // The first push also reads what the registry contains.
        for number in 1...2 {
            fixture.lifeline.begin()
            let task = fixture.task(UInt64(number), audience: nil, list: .entries([.device(id)]))
            fixture.post(task)
            try await fixture.run()
            #expect(try fixture.sent(task) == [id.index])
        }
        // Concurrently: report and record with the generation; mark, content with its list entry, and agenda.
        let store = 3 + ["begin"].count + 4 + ["resolve"].count
        let send = ["before it is durable", "after"].count
        #expect(fixture.lifeline.steps == store + send)
    }
}
