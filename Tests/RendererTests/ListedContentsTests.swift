import Bus
import JSONKit
import MemoryStore
import PushModel
import Rendering
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Renderer

/// Devices that get contents from the parts of their task's list.
@Suite struct ListedContentsTests {
    private func task(_ scene: Scene) -> PushTask {
        var task = PushTask(id: scene.id, app: scene.app, created: scene.time.now)
        task.hasListedContents = true
        task.content.platforms = Set(Platform.allCases)
        task.target.list = .parts(count: 2, entries: 800)
        return task
    }

    private func keep(_ contents: [TaskContent], number: Int, scene: Scene) throws {
        let entries = try contents.indices.map { TargetEntry.alias(try Samples.user("user-\($0)")) }
        let part = TaskPart(
            task: scene.id, number: number, entries: entries, contents: contents, choices: Array(contents.indices))
        let bytes = TaskMessage.part(part).encoded()
        scene.archive.keepContents(bytes, number: number, of: scene.id, for: .seconds(60))
    }

    /// Devices at offsets from 0, each with its content.
    private func chunk(
        _ scene: Scene, _ numbers: [ContentNumber], lane: Lane = .bulk, timing: DeviceTiming = .ofTask,
        content: [UInt8] = []
    ) throws -> AudienceChunk {
        var part = AudienceDevices(segment: Scene.segment)
        for (offset, number) in numbers.enumerated() {
            part.append(
                offset: UInt16(offset), record: try Scene.device(.apns, number: offset).packed, isSilent: false,
                content: number)
        }
        return AudienceChunk(
            task: scene.id, app: scene.app, lane: lane, attempt: 0, timing: timing, content: content,
            segments: [part])
    }

    private func number(_ place: Int, part: Int = 0) -> ContentNumber { ContentNumber(part: part, place: place) }

    /// The body that each device gets, and the content that its variant names.
    private func bodies(_ chunks: [DispatchChunk]) throws -> [UInt16: String] {
        var bodies: [UInt16: String] = [:]
        for chunk in chunks {
            for part in chunk.segments {
                for (offset, place) in zip(part.offsets, part.variants) {
                    let variant = chunk.variants[Int(place)]
                    let body = try JSON(variant.payload.payload(token: "", badge: 5))["aps"]?["alert"]?["body"]?.text
                    #expect(bodies.updateValue("\(body ?? "-") \(variant.content.rawValue)", forKey: offset) == nil)
                }
            }
        }
        return bodies
    }

    @Test(arguments: Lane.allCases)
    func eachDeviceGetsItsContent(lane: Lane) async throws {
        let scene = try Scene()
        let task = task(scene)
        if lane == .bulk { scene.keep(task) }
        try keep([Samples.content("a"), Samples.content("b")], number: 0, scene: scene)
        try keep([Samples.content("c")], number: 1, scene: scene)
        let numbers = [number(1), number(0, part: 1), number(0), number(1)]
        let chunk = try chunk(
            scene, numbers, lane: lane, content: lane == .fast ? TaskMessage.task(task).encoded() : [])
        let outputs = try await scene.run(scene.handler(), chunks: [chunk])
        let dispatches = try outputs.dispatches(Topics.dispatchAPNs, lane: lane)
        #expect(dispatches.count == 1 && dispatches[0].variants.count == 3)
        let expected = zip(["b", "c", "a", "b"], numbers).map { "\($0) \($1.rawValue)" }
        #expect(try bodies(dispatches) == Dictionary(uniqueKeysWithValues: zip(0..., expected)))
    }

    /// Goal: a part is read and decoded once for all chunks that need it, also for devices with lives of their own.
    /// Method: the archived part is made unreadable after the first chunk.
    @Test func aPartIsReadOnce() async throws {
        let scene = try Scene()
        scene.keep(task(scene))
        try keep((0..<400).map { Samples.content("text \($0)") }, number: 0, scene: scene)
        let handler = scene.handler(cacheBytes: 64 << 20)
        let first = try await scene.run(handler, chunks: [chunk(scene, [number(0)])])
        scene.archive.keepContents([0], number: 0, of: scene.id, for: .seconds(60))
        #expect(try await scene.run(handler, chunks: [chunk(scene, [number(0)])]).map(\.value) == first.map(\.value))
        let later = try chunk(
            scene, (0..<400).map { number($0) },
            timing: DeviceTiming(begins: (scene.time.now + .seconds(7_200)).milliseconds))
        let outputs = try await scene.run(handler, chunks: [later]).dispatches(Topics.dispatchAPNs)
        #expect(outputs.count == 2)
        #expect(try bodies(outputs) == (0..<400).reduce(into: [:]) { $0[UInt16($1)] = "text \($1) \($1 + 1)" })
        let deadline = (scene.time.now + .seconds(7_200) + task(scene).options.timeToLive).milliseconds
        #expect(outputs.allSatisfy { $0.deadline == deadline })
    }

    /// Method: the same with a cache that holds one entry, so that the part is read again.
    @Test func partsStayWithinTheCache() async throws {
        let scene = try Scene()
        scene.keep(task(scene))
        for part in 0..<2 { try keep([Samples.content("x")], number: part, scene: scene) }
        let handler = scene.handler(cacheBytes: 1)
        _ = try await scene.run(handler, chunks: [chunk(scene, [number(0), number(0, part: 1)])])
        for part in 0..<2 { scene.archive.keepContents([0], number: part, of: scene.id, for: .seconds(60)) }
        let error = await #expect(throws: StoreError.self) {
            try await scene.run(handler, chunks: [chunk(scene, [number(0)])])
        }
        #expect(error?.code == .corrupt)
    }

    @Test func theCostOfAPartCountsItsContents() throws {
        let scene = try Scene()
        let task = CachedTask(task(scene), contentBytes: 100, now: scene.time.now)
        let entries = [TargetEntry.alias(try Samples.user("a")), .alias(try Samples.user("b"))]
        let contents = ["x", "y"].map { Samples.content($0) }
        let part = CachedPart(
            TaskPart(task: scene.id, number: 0, entries: entries, contents: contents, choices: [0, 1]),
            contentBytes: 500)
        #expect(part.bytes == 3_000 + 2 * 1_024)
        #expect(part.task(at: 1, of: task, now: scene.time.now)?.task.content == contents[1])
        #expect(part.task(at: 2, of: task, now: scene.time.now) == nil)
    }

    /// Goal: only the devices of a missing part wait, with their contents, and end with their task.
    @Test func devicesOfAMissingPartWait() async throws {
        let scene = try Scene()
        scene.keep(task(scene))
        try scene.plan(marking: [0, 1, 2])
        try keep([Samples.content("a")], number: 0, scene: scene)
        let missing = number(7, part: 1)
        let chunk = try chunk(scene, [missing, number(0), missing])
        let outputs = try await scene.run(scene.handler(), chunks: [chunk])
        #expect(try bodies(outputs.dispatches(Topics.dispatchAPNs)) == [1: "a 1"])
        let orders = try outputs.filter { $0.channel == Topics.retries.channel(.bulk) }.map {
            try RetryOrder(decoding: $0.value)
        }
        let order = try #require(orders.first)
        #expect(orders.count == 1 && order.offsets == [0, 2] && order.devices.allSatisfy { $0.content == missing })
        #expect(order.due >= (scene.time.now + RenderHandler.absentPause).milliseconds)
        let segment = SegmentID(scene.app, number: Scene.segment)
        _ = scene.ledger.cancel(scene.id, in: segment)
        try scene.ledger.resolve(job: 0, of: scene.id)
        try #require(scene.ledger.close([segment], of: scene.id)?.closed != nil)
        let late = try await scene.run(scene.handler(), chunks: [chunk])
        #expect(late.allSatisfy { $0.channel == Topics.dispatchAPNs.channel(.bulk) })
    }

    @Test func aContentThatThePartDoesNotHaveIsPoison() async throws {
        let scene = try Scene()
        scene.keep(task(scene))
        try keep([Samples.content("a")], number: 0, scene: scene)
        await #expect(throws: PoisonMessageError.self) {
            try await scene.run(scene.handler(), chunks: [chunk(scene, [number(1)])])
        }
    }

    /// A chunk counts the badges of all its devices or of none.
    @Test func contentsThatCountBadgesHaveChunksOfTheirOwn() async throws {
        let scene = try Scene()
        scene.keep(task(scene))
        try keep([Samples.content("a"), Samples.content("b", countsBadge: true)], number: 0, scene: scene)
        let chunk = try chunk(scene, [number(0), number(1), number(0)])
        let dispatches = try await scene.run(scene.handler(), chunks: [chunk]).dispatches(Topics.dispatchAPNs)
        #expect(dispatches.map(\.countsBadge) == [false, true])
        #expect(dispatches.map { $0.segments.flatMap(\.offsets) } == [[0, 2], [1]])
    }

    /// Goal: no chunk exceeds the limits of the bus and of variants, and no device loses its content. Method: a part
    /// full of long contents.
    @Test func manyContentsTakeSeveralChunks() async throws {
        let scene = try Scene()
        scene.keep(task(scene))
        let long = String(repeating: "y", count: 600)
        try keep((0..<380).map { Samples.content("\($0) \(long)") }, number: 0, scene: scene)
        let chunk = try chunk(scene, (0..<500).map { number($0 % 380) })
        let outputs = try await scene.run(scene.handler(cacheBytes: 64 << 20), chunks: [chunk])
        #expect(outputs.allSatisfy { $0.value.count <= Topics.messageBytesMaximum })
        let dispatches = try outputs.dispatches(Topics.dispatchAPNs)
        #expect(dispatches.count > 1)
        let seen = try bodies(dispatches)
        let expected: [UInt16: String] = (0..<500).reduce(into: [:]) {
            $0[UInt16($1)] = "\($1 % 380) \(long) \($1 % 380 + 1)"
        }
        #expect(seen == expected)
    }
}
