import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import WebSender

/// What publishers are shown of servers that fail.
@Suite(.timeLimit(.minutes(3))) struct FailingServerNotesTests {
    /// Keeps what it is told, or answers only after `end`.
    private final class RecordingStore: FailingServers {
        enum Call: Equatable {
            case note([String: Duration])
            case remove([String])
        }

        let calls = Monitor<[Call]>([])
        private let end: OneTimeEvent?

        init(until end: OneTimeEvent? = nil) {
            self.end = end
        }

        var count: Int { calls.withLock { $0.count } }
        var last: Call? { calls.withLock { $0.last } }

        /// All servers that were noted.
        var noted: Set<String> {
            var servers: Set<String> = []
            for case .note(let entries) in calls.withLock({ $0 }) { servers.formUnion(entries.keys) }
            return servers
        }

        func read(_ app: AppID) -> [String: Duration] { [:] }

        func note(_ servers: [String: Duration], of app: AppID) async throws(StoreError) {
            calls.change { $0.append(.note(servers)) }
            await end?.wait()
        }

        func remove(_ servers: [String], of app: AppID) async throws(StoreError) {
            calls.change { $0.append(.remove(servers.sorted())) }
            await end?.wait()
        }

        func hasCalls(_ count: Int) async -> [Call] {
            await blocking { [calls] in
                calls.wait(timeout: .hangLimit) { $0.count >= count ? $0 : nil } ?? []
            }
        }
    }

    private let time = ManualTimeSource()
    private let news: AppID

    init() throws {
        news = try AppID("news")
    }

    private func origin(_ host: String, port: UInt16 = 443) -> PushOrigin {
        PushOrigin(scheme: .https, host: host, port: port)
    }

    private func gate(_ store: RecordingStore) -> OriginGate {
        let meters = OriginMeters(Metrics(), kind: .webpush)
        return OriginGate(
            inFlightMaximum: 100, time: time, random: SeededRandomSource(seed: 4),
            failures: OriginFailures(meters, notes: FailingServerNotes(of: news, store: store, time: time)))
    }

    private func send(_ count: Int, through gate: OriginGate, outcome: PushOutcome) async -> [PushOutcome] {
        var outcomes: [PushOutcome] = []
        for _ in 0..<count {
            #expect(await gate.admit(1, lane: .bulk) == .admitted(1))
            outcomes += await gate.send(pushes(["https://a.example/1"])) { pushes, _ in pushes.map { _ in outcome } }
        }
        return outcomes
    }

    /// Goal: a server is noted when a push is held back, and not before, and removed when it has recovered. Method: it
    /// fails, is asked during its pause, and answers the probe.
    @Test func aServerIsNotedFromTheFirstPushHeldBackToItsRecovery() async throws {
        let store = RecordingStore()
        let gate = gate(store)
        _ = await send(3, through: gate, outcome: .notSent("connection refused"))
        #expect(store.count == 0)
        let pause = try #require(await send(1, through: gate, outcome: .delivered).first?.pause)
        #expect(await store.hasCalls(1) == [.note(["a.example:443": pause])])
        time.advance(by: pause)
        #expect(await send(1, through: gate, outcome: .delivered) == [.delivered])
        await letTimePass { store.count == 2 }
        #expect(store.last == .remove(["a.example:443"]))
    }

    /// Goal: when an app's gate is released, what it has noted is removed.
    @Test func aReleasedGateTakesItsNotesBack() async {
        let store = RecordingStore()
        do {
            let gate = gate(store)
            _ = await send(4, through: gate, outcome: .notSent("connection refused"))
            _ = await store.hasCalls(1)
        }
        await letTimePass { store.count == 2 }
        #expect(store.last == .remove(["a.example:443"]))
    }

    /// Goal: a store that does not answer delays no push and gets one request at a time. Method: its first request hangs
    /// while pushes are held back and the server recovers.
    @Test func aStoreThatDoesNotAnswerHoldsUpNothing() async {
        let end = OneTimeEvent()
        let store = RecordingStore(until: end)
        let gate = gate(store)
        _ = await send(4, through: gate, outcome: .notSent("connection refused"))
        _ = await store.hasCalls(1)
        time.advance(by: .seconds(5))
        #expect(await send(1, through: gate, outcome: .delivered) == [.delivered])
        #expect(store.count == 1)
        end.happen()
        await letTimePass { store.count == 2 }
        #expect(store.last == .remove(["a.example:443"]))
    }

    /// Goal: within two seconds a server is written once, with its newest end. Method: its end changes many times after
    /// the first write.
    @Test func aServerIsWrittenSeldom() async {
        let store = RecordingStore()
        let notes = FailingServerNotes(of: news, store: store, time: time)
        notes.add(origin("a.example"), for: .seconds(100))
        _ = await store.hasCalls(1)
        #expect(await time.hasSleepers(1))
        for second in 1...40 { notes.add(origin("a.example"), for: .seconds(100 + second)) }
        time.advance(by: .milliseconds(1_999))
        #expect(await time.hasSleepers(1) && store.count == 1)
        time.advance(by: .milliseconds(1))
        #expect(await store.hasCalls(2).last == .note(["a.example:443": .seconds(138)]))
    }

    /// Goal: what the store did not take, or another sender has removed, is written again.
    @Test func whatHasNotChangedIsWrittenAgainAfterTenSeconds() async {
        let store = RecordingStore()
        let notes = FailingServerNotes(of: news, store: store, time: time)
        notes.add(origin("a.example"), for: .seconds(100))
        _ = await store.hasCalls(1)
        #expect(await time.hasSleepers(1))
        for passed in 1...10 {
            time.advance(by: .seconds(1))
            notes.add(origin("a.example"), for: .seconds(100 - passed))
        }
        #expect(
            await store.hasCalls(2) == [
                .note(["a.example:443": .seconds(100)]), .note(["a.example:443": .seconds(90)]),
            ])
    }

    /// Goal: an app notes a bounded number of servers, and none with a name that is too long for one. Method: three too
    /// many; then one, after another was removed.
    @Test func anAppNotesABoundedNumberOfServers() async {
        let store = RecordingStore()
        let notes = FailingServerNotes(of: news, store: store, time: time)
        let maximum = FailingServerBounds.serversMaximum
        notes.add(origin(String(repeating: "a", count: 300)), for: .seconds(6_000))
        for number in 0..<maximum + 3 { notes.add(origin("\(number).example"), for: .seconds(6_000)) }
        await letTimePass { store.noted.count == maximum }
        #expect(store.noted == Set((0..<maximum).map { "\($0).example:443" }))
        notes.remove(origin("0.example"))
        await letTimePass { store.last == .remove(["0.example:443"]) }
        notes.add(origin("late.example", port: 8443), for: .seconds(6_000))
        await letTimePass { store.noted.contains("late.example:8443") }
        #expect(store.noted.count == maximum + 1)
    }

    private func letTimePass(until isDone: () -> Bool) async {
        while !isDone() {
            time.advance(by: .milliseconds(100))
            await Task.yield()
        }
    }
}
