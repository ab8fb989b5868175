import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `GET /v1/devices/ID/tasks`.
@Suite struct DeviceTaskTests {
    private static let device = DeviceID(index: DeviceIndex(segment: SegmentNumber(rawValue: 2), offset: 7), tag: 9)
    private static let path = "/v1/devices/\(device)/tasks"

    /// An accepted task that has the device in its ledger, in this state.
    private func begin(_ fixture: IngestFixture, isFast: Bool, state: DeliveryState?) async throws -> PushTask {
        let known = fixture.bus.tasks.count
        #expect(await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .publisher).status == 201)
        let task = try #require(fixture.bus.tasks.dropFirst(known).first)
        _ = try fixture.ledger.plan(
            task.id,
            as: TaskPlan(app: task.app, jobs: 1, isFast: isFast, deadline: task.deadline, policy: .atLeastOnce))
        fixture.time.advance(by: .seconds(1))
        guard let state else { return task }
        let segment = SegmentID(task.app, number: Self.device.index.segment)
        let offset = Self.device.index.offset
        _ = fixture.ledger.mark(SegmentSet([offset]), of: task.id, in: segment)
        let id = ClaimID(owner: 1, number: 1)
        _ = fixture.ledger.claim(
            ClaimRequest(id: id, offsets: [offset], attempt: 0, lease: .seconds(60), countsBadge: false), of: task.id,
            in: segment)
        let group = Settlement.Group(offsets: [offset], state: state, attempt: 0, status: 400, reason: "Because")
        _ = fixture.ledger.settle(Settlement(claim: id, groups: [group]), of: task.id, in: segment)
        return task
    }

    /// A closed task of which only the trace is left.
    private func leaveTrace(_ fixture: IngestFixture, id: TaskID, app: AppID) {
        let now = fixture.time.now
        let plan = TaskPlan(app: app, jobs: 1, isFast: true, deadline: now, policy: .atLeastOnce)
        let end = TaskOutcomes.Device(index: Self.device.index, state: .expired, detail: nil)
        fixture.traces.keep(
            TaskTrace(
                TaskOutcomes(plan: plan, devices: [end]), dialect: "native", created: now, closed: now,
                isCancelled: false), of: id, for: .seconds(600))
        fixture.deviceTasks.enter(id, closed: now, under: [Self.device.index], of: app)
    }

    /// Goal: a large and a small task by their ledgers, a closed one by its trace, each once; neither a task without
    /// the device, nor one that has expired.
    @Test func theTasksOfADeviceAreFound() async throws {
        try await IngestFixture.run { fixture in
            let traced = TaskID(high: 5, low: 5)
            leaveTrace(fixture, id: traced, app: fixture.news)
            fixture.time.advance(by: .seconds(1))
            let large = try await begin(fixture, isFast: false, state: .failed)
            _ = try await begin(fixture, isFast: true, state: nil)
            let small = try await begin(fixture, isFast: true, state: .delivered)
            for id in [small.id, TaskID(high: 6, low: 6)] {
                fixture.deviceTasks.enter(id, closed: fixture.time.now, under: [Self.device.index], of: fixture.news)
            }
            let answer = await fixture.json("GET", Self.path, as: .publisher)
            #expect(answer.status == 200 && answer.json["device"] == .string("\(Self.device)"))
            let tasks = try #require(answer.json["tasks"]?.elements)
            #expect(tasks.map { $0["task"] } == [small.id, large.id, traced].map { .string("\($0)") })
            #expect(tasks.map { $0["state"] } == ["delivered", "failed", "expired"].map { .string($0) })
            #expect(tasks[1]["reason"] == .string("Because") && tasks[1]["begins"] == .string("\(large.begins)"))
            #expect(tasks[1]["why"]?.text?.contains("Because") == true)
        }
    }

    @Test func onlyReadersOfTheAppAreAnswered() async throws {
        try await IngestFixture.run { fixture in
            leaveTrace(fixture, id: TaskID(high: 5, low: 5), app: try AppID("shop"))
            #expect(await fixture.json("GET", Self.path, as: .publisher).status == 404)
            let known = try await fixture.subscriber("external_user_id=ada")
            let none = await fixture.json("GET", "/v1/devices/\(known)/tasks", as: .publisher)
            #expect(none.status == 200 && none.json["tasks"]?.elements?.isEmpty == true)
            #expect(await fixture.json("GET", Self.path, as: .poster).status == 403)
            #expect(await fixture.json("GET", "/v1/devices/nothing/tasks", as: .publisher).status == 404)
            let shop = await fixture.json("GET", Self.path, as: .shop)
            #expect(shop.json["tasks"]?.elements?.count == 1)
        }
    }
}
