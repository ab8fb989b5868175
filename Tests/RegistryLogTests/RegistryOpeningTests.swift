import Bus
import MemoryBus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct RegistryOpeningTests {
    private func opening(_ fixture: LogFixture) -> RegistryOpening {
        RegistryOpening(bus: fixture.bus, maintenance: fixture.store, environment: fixture.environment)
    }

    @Test func whereNothingWasLoggedAnEmptyRegistryIsMade() async throws {
        let fixture = LogFixture(store: ModelStore())
        let opening = opening(fixture)
        #expect(await fixture.test.health.obstacles().count == 1)
        #expect(try await opening.open() == .ready)
        #expect(await fixture.test.health.obstacles().isEmpty)
    }

    @Test func aLogWithoutItsRegistryIsLeftToTheOperator() async throws {
        let fixture = LogFixture(store: ModelStore())
        try await fixture.append(try History(seed: 1, steps: 5).changes)
        let opening = opening(fixture)
        #expect(try await opening.open() == .absent)
        let obstacles = await fixture.test.health.obstacles()
        #expect(obstacles.count == 1)
        #expect(obstacles.first?.contains("run carillon rebuild") == true)
    }

    @Test func aRebuildIsLeftAlone() async throws {
        let fixture = LogFixture(store: ModelStore())
        _ = fixture.store.beginRebuild()
        #expect(try await opening(fixture).open() == .rebuilding)
        #expect(fixture.store.state() == .rebuilding)
    }

    @Test func aRegistryThatIsThereStays() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 2, steps: 20)
        try await fixture.append(history.changes)
        #expect(try await opening(fixture).open() == .ready)
    }

    /// Goal: the service runs until it is stopped and logs the obstacle.
    @Test func itTellsAndWaits() async throws {
        let fixture = LogFixture(store: ModelStore())
        try await fixture.append(try History(seed: 1, steps: 5).changes)
        let opening = opening(fixture)
        try await withRunning(opening) {
            #expect(await fixture.test.sink.awaitLine("carillon rebuild"))
        }
    }
}
