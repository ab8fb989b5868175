import Bus
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

/// Goal: each device of a task with a content for each entry gets its own, also when it is retried. Method: the parts
/// and the tasks are sent as ingest sends them, a list for few and one for many; Apple refuses the first pushes.
@Suite(.timeLimit(.minutes(10))) struct ListedContentsTests {
    private static let refused = 40
    private static let refusal = "ServiceUnavailable"

    @Test(arguments: Harness.BusKind.allCases)
    func eachDeviceGetsItsOwnContent(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let devices = (0..<120).map { TestDevice($0, kind: .apns, topics: []) }
        let ids = try await harness.ingest.register(devices).map { try #require(DeviceID($0)) }
        let (reason, count) = (ListedContentsTests.refusal, ListedContentsTests.refused)
        let fault = #"{"provider":"apns","kind":"answer","status":503,"reason":"\#(reason)","next":\#(count)}"#
        #expect(try await harness.simulator.admin("POST", "/faults", body: fault).status == 201)
        let few = try await post("few", to: ids, entryCount: ids.count, harness: harness)
        let many = try await post("many", to: ids, entryCount: 1_200, harness: harness)
        for task in [few, many] {
            let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
            #expect(report.targeted == ids.count && report[.delivered] == ids.count)
            #expect(try await harness.delivered(task) == ids.count)
        }
        #expect(try await harness.faults(ListedContentsTests.refusal) == ListedContentsTests.refused)
        let answer = try await harness.simulator.admin("GET", "/pushes/apns?limit=1000")
        let pushes = try #require(try JSON(answer.body).elements)
        for (number, device) in devices.enumerated() {
            let own = pushes.filter { $0["path"]?.text?.hasSuffix(device.token) == true }
            let bodies = own.compactMap { $0["body"]?["aps"]?["alert"]?["body"]?.text }
            #expect(Set(bodies) == ["few \(number)", "many \(number)"])
        }
        try await harness.close()
    }

    /// Every device has a content of its own; the other entries name unknown users.
    private func post(_ name: String, to ids: [DeviceID], entryCount: Int, harness: Harness) async throws -> TaskID {
        let id = TaskID(high: UInt64.random(in: 0...UInt64.max), low: UInt64.random(in: 0...UInt64.max))
        var task = PushTask(id: id, app: try AppID("news"), created: SystemTimeSource().now)
        task.hasListedContents = true
        task.content.platforms = [.ios]
        let unknown = try (ids.count..<entryCount).map { TargetEntry.alias(try Samples.user("unknown-\($0)")) }
        let entries = ids.map { TargetEntry.device($0) } + unknown
        let parts = entries.chunks(of: 50).enumerated().map { number, entries in
            let contents = entries.indices.map { Samples.content("\(name) \($0)", platforms: [.ios]) }
            return TaskPart(
                task: id, number: number, entries: Array(entries), contents: contents,
                choices: Array(contents.indices))
        }
        task.target.list = .parts(count: parts.count, entries: entries.count)
        let producer = try await harness.bus.makeProducer(ProducerOptions())
        let topic = Topics.parts(of: task.target.list)
        try await producer.send(parts.map { topic.message(.part($0), key: Topics.key(id)) })
        try await producer.send([Topics.tasks.message(.task(task), key: Topics.key(id))])
        await producer.close()
        return id
    }
}
