import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

@Suite struct DeviceRemovalTests {
    private let fixture: ReporterFixture
    private let task = TaskID(high: 7, low: 7)

    init() throws {
        fixture = try ReporterFixture()
    }

    private func removal(limit: Int = 2, hasWebhook: Bool = false) async throws -> DeviceRemoval {
        let producer = CutProducer(try await fixture.bus.makeProducer(ProducerOptions()), scissors: fixture.scissors)
        return DeviceRemoval(
            registry: fixture.registry, failuresMaximum: { _ in limit }, hasWebhook: { _ in hasWebhook },
            archive: fixture.archive, producer: producer, metrics: fixture.metrics)
    }

    private func told() async throws -> [DeviceTransition] {
        try await fixture.read(Topics.statuses).compactMap { notice in
            guard case .transition(let transition) = notice else { return nil }
            return transition
        }
    }

    private func isThere(_ id: DeviceID) throws -> Bool {
        try fixture.registry.device(id, in: fixture.app) != nil
    }

    @Test func aProvenDeviceIsRemovedAndReported() async throws {
        let ids = try await fixture.register(3)
        fixture.time.advance(by: .seconds(1))
        let batches = [
            fixture.batch([ids[0]], task: task, state: .invalidRemoved),
            fixture.batch([ids[1]], task: task, state: .delivered),
        ]
        let feedback = try await removal().perform(batches)
        #expect(feedback.map(\.id) == ["news/\(ids[0])"])
        #expect(feedback.first?.cause == .invalid && feedback.first?.status == 410 && feedback.first?.task == task)
        let left = [try isThere(ids[0]), try isThere(ids[1]), try isThere(ids[2])]
        #expect(left == [false, true, true])
        // The remover may have crashed before it sent the feedback: a repeat sends it again under the same id.
        #expect(try await removal().perform(batches) == feedback)
        #expect(fixture.metrics.counter(.reporterDevicesRemoved, labels: ["cause": "invalid"]).value == 1)
    }

    /// The registry stores whole seconds: a registration in the second of the result counts as newer.
    @Test(arguments: [Duration.zero, .milliseconds(999), .seconds(5)])
    func aDeviceRegisteredAnewStays(after pause: Duration) async throws {
        let id = try await fixture.register(1)[0]
        fixture.time.advance(by: .seconds(10))
        let batch = fixture.batch([id], task: task, state: .invalidRemoved)
        fixture.time.advance(by: pause)
        #expect(try await fixture.register(1) == [id])
        #expect(try await removal().perform([batch]) == [])
        #expect(try isThere(id))
        #expect(fixture.metrics.counter(.reporterDevicesKept).value == 1)
    }

    /// Goal: a repeated refusal does not remove a device that was registered between the attempt and the repeat.
    /// Method: the repeat has its own, later time and the attempt's; with proof, and counted as the app's last failure.
    @Test(arguments: [DeliveryState.invalidRemoved, .invalid])
    func aRepeatIsJudgedByItsAttempt(_ state: DeliveryState) async throws {
        let id = try await fixture.register(1)[0]
        fixture.time.advance(by: .seconds(10))
        let attempted = fixture.time.now
        fixture.time.advance(by: .seconds(10))
        #expect(try await fixture.register(1) == [id])
        fixture.time.advance(by: .seconds(10))
        let batch = fixture.batch([id], task: task, state: state, isCounted: state == .invalid, attempted: attempted)
        #expect(try await removal(limit: 1).perform([batch]) == [])
        #expect(try isThere(id))
        #expect(fixture.metrics.counter(.reporterDevicesKept).value == 1)
    }

    /// Goal: a refused token for starting Live Activities leaves a healthy phone as it is, without that token. Method: an
    /// answer with proof, and one that counts as the app's last failure; the device has tokens of two types.
    @Test(arguments: [DeliveryState.invalidRemoved, .invalid])
    func aRefusedStartTokenLeavesItsDevice(_ state: DeliveryState) async throws {
        let id = try await fixture.register(1)[0]
        var changes = DeviceChanges()
        for (number, type) in ["Order", "Match"].enumerated() {
            changes.startTokens[try ActivityType(type)] = try PushToken(
                .liveActivity, text: String(repeating: "0\(number)", count: 40))
        }
        _ = try await fixture.registry.change(id, changes: changes, in: fixture.app)
        var started = PushTask(id: task, app: fixture.app, created: fixture.time.now)
        var start = ActivityContent(.start, of: try ActivityID("order"))
        start.type = try ActivityType("Order")
        started.content.activity = start
        fixture.archive.keep(TaskMessage.task(started).encoded(), of: task, entry: started.entry)
        fixture.time.advance(by: .seconds(5))
        let result = DeviceResult(
            device: id, provider: .liveActivity, state: state, attempt: 0, status: 410, reason: "ExpiredToken",
            isCounted: true)
        let batch = ResultBatch(task: task, app: fixture.app, time: fixture.time.now, results: [result])
        let before = try #require(try fixture.registry.device(id, in: fixture.app))
        #expect(try await removal(limit: 1, hasWebhook: true).perform([batch]) == [])
        let after = try #require(try fixture.registry.device(id, in: fixture.app)).device
        #expect(after.startTokens.tokens.keys.map(\.text) == ["Match"])
        #expect(after.updated == before.device.updated, "it says nothing of the device's own token")
        #expect(try await told().isEmpty)
    }

    /// Goal: tokens of activities are removed as devices are, and are none for anything else.
    @Test func aTokenOfAnActivityIsRemovedAlone() async throws {
        let device = try await fixture.register(1)[0]
        let space = fixture.app.activities
        let token = try PushToken(.liveActivity, text: String(repeating: "ab", count: 40))
        let endpoint = try await fixture.registry.register(token, changes: DeviceChanges(), in: space).registered.id
        fixture.time.advance(by: .seconds(5))
        let result = DeviceResult(
            device: endpoint, provider: .liveActivity, state: .invalidRemoved, attempt: 0, status: 410,
            reason: "Unregistered")
        let batch = ResultBatch(task: task, app: space, time: fixture.time.now, results: [result])
        #expect(try await removal(hasWebhook: false).perform([batch]) == [], "no feedback on a device")
        #expect(try fixture.registry.device(endpoint, in: space) == nil)
        #expect(try isThere(device))
    }

    @Test func anIDWithAnotherTagRemovesNoDevice() async throws {
        let id = try await fixture.register(1)[0]
        fixture.time.advance(by: .seconds(1))
        let forged = DeviceID(index: id.index, tag: id.tag &+ 1)
        _ = try await removal(limit: 1).perform([
            fixture.batch([forged], task: task, state: .invalidRemoved),
            fixture.batch([forged], task: task, state: .invalid, isCounted: true),
        ])
        #expect(try isThere(id))
    }

    @Test func withoutProofADeviceGoesAfterAsManyFailuresAsItsAppAllows() async throws {
        let id = try await fixture.register(1)[0]
        fixture.time.advance(by: .seconds(1))
        let batch = fixture.batch([id], task: task, state: .invalid, isCounted: true)
        // Results may be delivered more than once.
        for _ in 0..<3 { #expect(try await removal().perform([batch]) == []) }
        #expect(try isThere(id))
        let next = fixture.batch([id], task: TaskID(high: 7, low: 8), state: .invalid, isCounted: true)
        #expect(try await removal().perform([next]).map(\.cause) == [.failures])
        #expect(try !isThere(id))
    }

    /// Goal: broadcasts to the wrong environment remove no device, however many there are. Method: the results of a
    /// sender whose breaker counted no failure, for one task more than the app allows failures.
    @Test func whatTheBreakerDidNotLetThroughCountsForNothing() async throws {
        let ids = try await fixture.register(3)
        for number in 1...11 {
            let batch = fixture.batch(ids, task: TaskID(high: 7, low: UInt64(number)), state: .invalid)
            #expect(try await removal(limit: 10).perform([batch]) == [])
        }
        for id in ids { #expect(try isThere(id)) }
    }

    /// Only consecutive failures count; a delivery resets the count of that device alone.
    @Test func aDeliveryBeginsTheRowAnew() async throws {
        let ids = try await fixture.register(2)
        fixture.time.advance(by: .seconds(1))
        func tell(_ number: UInt64, ids: [DeviceID], state: DeliveryState) async throws -> [DeviceFeedback] {
            let batch = fixture.batch(
                ids, task: TaskID(high: 7, low: number), state: state, isCounted: state == .invalid)
            return try await removal(limit: 3).perform([batch])
        }
        for number: UInt64 in 1...2 { #expect(try await tell(number, ids: ids, state: .invalid) == []) }
        #expect(try await tell(3, ids: [ids[0]], state: .delivered) == [])
        #expect(try await tell(4, ids: ids, state: .invalid).map(\.device) == [ids[1]])
        #expect(try await tell(5, ids: [ids[0]], state: .invalid) == [])
        #expect(try await tell(6, ids: [ids[0]], state: .invalid).map(\.device) == [ids[0]])
    }

    @Test func otherEndsTouchNoDevice() async throws {
        let id = try await fixture.register(1)[0]
        fixture.time.advance(by: .seconds(1))
        for state in DeliveryState.allCases where state != .invalid && state != .invalidRemoved {
            #expect(try await removal(limit: 1).perform([fixture.batch([id], task: task, state: state)]) == [])
        }
        #expect(try isThere(id))
    }

    @Test func manyGoSideBySide() async throws {
        let ids = try await fixture.register(2 * DeviceRemoval.concurrency + 1)
        fixture.time.advance(by: .seconds(1))
        let feedback = try await removal().perform([fixture.batch(ids, task: task, state: .invalidRemoved)])
        #expect(Set(feedback.map(\.device)) == Set(ids))
        for id in ids { #expect(try !isThere(id)) }
    }

    @Test func aRegistryThatIsNotWholeIsWaitedFor() async throws {
        let ids = try await fixture.register(1)
        fixture.time.advance(by: .seconds(1))
        let batch = fixture.batch(ids, task: task, state: .invalidRemoved)
        _ = fixture.registry.beginRebuild()
        await #expect(throws: StoreError.self) { try await removal().perform([batch]) }
    }

    /// Goal: a webhook is told of each removal before it, and of no device that stays. Method: a proven device and one
    /// with its last failure, of which one has reported a moment; the results come again.
    @Test func removalsAreToldToWebhooks() async throws {
        let ids = try await fixture.register(3)
        #expect(try await fixture.registry.change(ids[0], changes: .firstMoment, in: fixture.app))
        let tokens = try ids.map { try #require(try fixture.registry.device($0, in: fixture.app)).device.token.text }
        fixture.time.advance(by: .seconds(1))
        let attempted = fixture.time.now
        fixture.time.advance(by: .seconds(1))
        let batches = [
            fixture.batch([ids[0]], task: task, state: .invalidRemoved, attempted: attempted),
            fixture.batch([ids[1]], task: task, state: .invalid, isCounted: true),
            fixture.batch([ids[2]], task: task, state: .failed),
        ]
        for _ in 0..<2 { #expect(try await removal(hasWebhook: true).perform(batches).map(\.device) == [ids[0]]) }
        var told = try await told()
        #expect(told.map(\.device) == [ids[0]] && told.map(\.token) == [tokens[0]])
        #expect(told.map(\.previous) == [.eligible] && told.map(\.reached) == [.ineligible])
        #expect(told.map(\.time) == [attempted])
        let last = fixture.batch([ids[1]], task: TaskID(high: 7, low: 8), state: .invalid, isCounted: true)
        #expect(try await removal(hasWebhook: true).perform([last]).map(\.device) == [ids[1]])
        told = try await self.told()
        #expect(Set(told.map(\.device)) == [ids[0], ids[1]] && told.count == 2)
        #expect(told.first { $0.device == ids[1] }?.previous == .unknown)
        #expect(try isThere(ids[2]))
    }

    @Test func withoutAWebhookNothingIsTold() async throws {
        let ids = try await fixture.register(1)
        fixture.time.advance(by: .seconds(1))
        #expect(try await removal().perform([fixture.batch(ids, task: task, state: .invalidRemoved)]).count == 1)
        #expect(try await told().isEmpty)
    }

    /// A process that dies before the removal leaves the device, so that the results that come again tell it.
    @Test(arguments: [DeliveryState.invalidRemoved, .invalid])
    func aRemovalThatIsCutOffIsToldByARepeat(_ state: DeliveryState) async throws {
        let ids = try await fixture.register(1)
        fixture.time.advance(by: .seconds(1))
        let batch = fixture.batch(ids, task: task, state: state, isCounted: state == .invalid)
        for steps in 0...1 {
            fixture.scissors.cut(after: steps)
            await #expect(throws: (any Error).self) {
                try await removal(limit: 1, hasWebhook: true).perform([batch])
            }
            #expect(try isThere(ids[0]))
            #expect(try await told().count == steps)
        }
        fixture.scissors.cut(after: nil)
        #expect(try await removal(limit: 1, hasWebhook: true).perform([batch]).count == 1)
        let told = try await told()
        #expect(Set(told).count == 1 && told.count == 2)
        #expect(try !isThere(ids[0]))
    }
}
