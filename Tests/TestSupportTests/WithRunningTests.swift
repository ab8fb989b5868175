import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct WithRunningTests {
    private struct BodyError: Error {}

    @Test func servicesAreStoppedInReverseOrderAndAwaited() async throws {
        let events = CollectingSink()
        let services = ["first", "second"].map { StubService(name: $0, events: events) }
        let answer = try await withRunning(services) {
            #expect(await events.awaitLine("started", times: 2))
            return 7
        }
        #expect(answer == 7)
        #expect(events.lines.filter { $0.hasSuffix("stopped") } == ["second stopped", "first stopped"])
        #expect(events.lines.count { $0.hasSuffix("ended") } == 2)
    }

    /// Goal: a failing body does not hang on work in flight. Method: a service that ends only when it is cancelled.
    @Test func aFailingBodyCancelsTheServices() async throws {
        let events = CollectingSink()
        let service = StubService(name: "busy", events: events, hasEndlessWork: true)
        await #expect(throws: BodyError.self) {
            try await withRunning(service) {
                #expect(await events.awaitLine("started"))
                throw BodyError()
            }
        }
        #expect(events.lines == ["busy started", "busy stopped", "busy ended"])
    }

    @Test func theErrorOfAServiceIsThrown() async throws {
        await #expect(throws: StubService.RunError.self) {
            try await withRunning(StubService(name: "broken", events: CollectingSink(), isBroken: true)) {}
        }
    }

    @Test func theCleanupFollowsAFailingBody() async throws {
        let events = CollectingSink()
        await #expect(throws: BodyError.self) {
            try await withCleanup({ events.write(line: "cleaned") }) { throw BodyError() }
        }
        #expect(events.lines == ["cleaned"])
    }
}

private struct StubService: Service {
    struct RunError: Error {}

    let name: String
    let events: CollectingSink
    /// Ignores `stop` and ends when it is cancelled.
    let hasEndlessWork: Bool
    let isBroken: Bool
    private let stopped = OneTimeEvent()

    init(name: String, events: CollectingSink, hasEndlessWork: Bool = false, isBroken: Bool = false) {
        self.name = name
        self.events = events
        self.hasEndlessWork = hasEndlessWork
        self.isBroken = isBroken
    }

    func run() async throws {
        events.write(line: "\(name) started")
        defer { events.write(line: "\(name) ended") }
        if isBroken { throw RunError() }
        if hasEndlessWork { try await SystemTimeSource().sleep(for: .seconds(3_600)) }
        await stopped.wait()
    }

    func stop() {
        events.write(line: "\(name) stopped")
        stopped.happen()
    }
}
