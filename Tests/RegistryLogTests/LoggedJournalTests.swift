import Bus
import MemoryBus
import PushModel
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(5))) struct LoggedJournalTests {
    private let changes: [RegistryChange]

    init() throws {
        changes = [RegistryChange(app: try AppID("a"), index: DeviceIndex(rawValue: 5_000), .badge(3))]
    }

    /// Goal: a commit returns only after the store has applied it. Method: the store is checked after each commit.
    @Test func answersOnceApplied() async throws {
        let fixture = LogFixture()
        let history = try History(seed: 3, steps: 300)
        let journal = try await fixture.journal()
        try await withRunning([try await fixture.worker(), journal]) {
            for commit in history.commits {
                try await journal.commit(commit)
                let segment = fixture.store.segments[commit[0].segment]
                for change in commit {
                    switch change.content {
                    case .device(let device): #expect(segment?.devices[change.index.offset] == device)
                    case .badge(let badge): #expect(segment?.badges[change.index.offset] == badge)
                    case .purge, .audience, .count, .group, .transfer, .activity:
                        Issue.record("the history has devices alone")
                    case .subscription(let topic, let options):
                        #expect(segment?.subscriptions[change.index.offset]?[topic] == options)
                    }
                }
            }
        }
        #expect(fixture.store.visible == history.visible)
    }

    /// Goal: waiting commits share one read. Method: nothing is applied until all of them wait.
    @Test func manyWaitWithOneQuestion() async throws {
        let fixture = LogFixture()
        let journal = try await fixture.journal()
        fixture.store.hold(true)
        let app = try AppID("a")
        try await withRunning([try await fixture.worker(), journal]) {
            try await withThrowingTaskGroup(of: Void.self) { commits in
                for number in 0..<200 as Range<UInt32> {
                    commits.addTask {
                        try await journal.commit([
                            RegistryChange(app: app, index: DeviceIndex(rawValue: number * 1_000), .badge(number))
                        ])
                    }
                }
                #expect(await blocking { fixture.store.isAsked(3) })
                fixture.store.hold(false)
                try await commits.waitForAll()
            }
        }
        #expect(fixture.store.segments.values.reduce(0) { $0 + $1.badges.count } == 200)
    }

    @Test func aWaitThatIsTooLongFails() async throws {
        let fixture = LogFixture()
        let journal = try await fixture.journal(.init(patience: .milliseconds(30)))
        try await withRunning([journal]) {
            let error = await #expect(throws: StoreError.self) { try await journal.commit(changes) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("30ms") == true)
        }
    }

    /// Goal: a registry that is not ready is reported as the reason, so that every request fails with the same error.
    @Test func whatTheStoreSaysIsPassedOn() async throws {
        let fixture = LogFixture(store: ModelStore())
        let journal = try await fixture.journal(.init(patience: .milliseconds(30)))
        try await withRunning([journal]) {
            let error = await #expect(throws: StoreError.self) { try await journal.commit(changes) }
            #expect(error?.code == .notReady)
        }
    }

    @Test func aStoreThatIsAwayForAMomentOnlyDelays() async throws {
        let fixture = LogFixture()
        fixture.store.fail(
            with: StoreError(.unavailable, message: "away"), StoreError(.unavailable, message: "away"),
            StoreError(.unavailable, message: "away"))
        let journal = try await fixture.journal()
        try await withRunning([try await fixture.worker(), journal]) { try await journal.commit(changes) }
        #expect(fixture.store.segments.count == 1)
    }

    @Test func moreThanTheMostAreRefusedBeforeTheyAreAppended() async throws {
        let fixture = LogFixture()
        fixture.store.hold(true)
        let journal = try await fixture.journal(.init(patience: .seconds(60), changesMaximum: 1))
        try await withRunning([try await fixture.worker(), journal]) {
            async let first: Void = journal.commit(changes)
            #expect(await blocking { fixture.store.isAsked(1) })
            let error = await #expect(throws: StoreError.self) { try await journal.commit(changes) }
            #expect(error?.code == .unavailable)
            fixture.store.hold(false)
            try await first
        }
        var records = 0
        try await fixture.bus.scan(Topics.registry.channel) { _ in
            records += 1
            return true
        }
        #expect(records == 1)
    }

    /// Goal: on stop, waiting commits complete and new ones are rejected.
    @Test func aStopAnswersThoseWhoWait() async throws {
        let fixture = LogFixture()
        fixture.store.hold(true)
        let journal = try await fixture.journal()
        let worker = try await fixture.worker()
        try await withRunning([worker]) {
            let run = Task { try await journal.run() }
            async let first: Void = journal.commit(changes)
            #expect(await blocking { fixture.store.isAsked(1) })
            journal.stop()
            await #expect(throws: StoreError.self) { try await journal.commit(changes) }
            fixture.store.hold(false)
            try await first
            try await run.value
        }
    }

    /// Goal: the shutdown deadline ends the waits. Method: the run is cancelled while a commit waits.
    @Test func aCutOffEndsTheWaits() async throws {
        let fixture = LogFixture()
        let journal = try await fixture.journal()
        let run = Task { try await journal.run() }
        let first = Task { try await journal.commit(changes) }
        #expect(await blocking { fixture.store.isAsked(1) })
        run.cancel()
        await #expect(throws: StoreError.self) { try await first.value }
        try await run.value
    }

    @Test func aLogThatTakesNothingIsUnavailable() async throws {
        let fixture = LogFixture()
        let producer = try await fixture.bus.makeProducer(ProducerOptions())
        let journal = LoggedJournal(
            producer: producer, projection: fixture.store, environment: fixture.environment)
        await producer.close()
        try await withRunning([journal]) {
            let error = await #expect(throws: StoreError.self) { try await journal.commit(changes) }
            #expect(error?.code == .unavailable)
        }
        #expect(fixture.store.questions == 0)
    }
}
