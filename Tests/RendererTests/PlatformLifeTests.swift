import JSONKit
import PushModel
import Rendering
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Renderer

/// Deadlines and badges of chunks where platforms differ.
@Suite struct PlatformLifeTests {
    private static let message = #"{"body":"b","android":{"time_to_live":"100s"}}"#

    /// Goal: the senders of each family get the deadline of its devices. Method: devices of all families; one chunk of
    /// devices that live from the task's creation, and one of devices that live from later.
    @Test func eachFamilyHasTheDeadlineOfItsDevices() async throws {
        let scene = try Scene()
        var task = try scene.task(PlatformLifeTests.message)
        task.options.timeToLive = .seconds(3_600)
        scene.keep(task)
        let devices = try [
            Scene.device(.apns, number: 0), Scene.device(.fcm, number: 1), Scene.device(.webpush, number: 2),
            Scene.device(.huawei, number: 3),
        ]
        let begins = scene.time.now + .seconds(1_000)
        let timing = DeviceTiming(begins: begins.milliseconds)
        for (timing, begins) in [(DeviceTiming.ofTask, scene.time.now), (timing, begins)] {
            let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices, timing: timing)])
            func deadlines(_ topic: Topic<DispatchChunk>) throws -> [Int64] {
                try outputs.dispatches(topic).map { $0.deadline - begins.milliseconds }
            }
            #expect(try deadlines(Topics.dispatchAPNs) == [3_600_000])
            #expect(try deadlines(Topics.dispatchAndroid) == [100_000])
            #expect(try deadlines(Topics.dispatchWeb) == [3_600_000])
        }
    }

    /// Goal: payloads with a remaining time are rendered anew by the shortest life. Method: the task has a long one.
    @Test func aShortLifeIsCountedAnew() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(PlatformLifeTests.message))
        let handler = scene.handler()
        func life() async throws -> String? {
            let outputs = try await scene.run(handler, chunks: [scene.chunk([try Scene.device(.huawei, number: 0)])])
            let variant = try #require(try outputs.dispatches(Topics.dispatchAndroid).first?.variants.first)
            return try JSON(variant.payload.payload(token: "", badge: 0))["message"]?["android"]?["ttl"]?.text
        }
        #expect(try await life() == "100s")
        scene.time.advance(by: .seconds(10))
        #expect(try await life() == "90s")
    }

    /// Goal: a chunk has one deadline, also where neighbours differ. Method: a segment's devices in turn with one of two
    /// deadlines.
    @Test func aChunkIsClosedWhereTheDeadlineChanges() throws {
        let scene = try Scene()
        let task = try scene.task(PlatformLifeTests.message)
        let rendering = CachedTask(task, contentBytes: 0, now: scene.time.now).rendering
        let variant = try rendering.variant(for: .fcm, language: nil, isSilent: false)
        let deadlines = [5, 5, 9, 5].map { scene.time.now + .seconds($0) }
        let numbers = [0, 0, 1, 0]
        let devices = try (0..<4).map { try Scene.device(.fcm, number: $0) }
        var split = DispatchSplit(scene.chunk(devices), task: task, countsBadge: true)
        for (offset, device) in devices.enumerated() {
            let packed = device.packed
            let glance = try #require(DeviceGlance(packed: packed[...]))
            let numbered = NumberedVariant(
                number: numbers[offset], variant, deadline: deadlines[offset], countsBadge: true)
            split.append(
                glance, token: device.token.text, at: UInt16(offset), of: Scene.segment, variant: numbered)
        }
        let chunks = split.chunks()
        #expect(chunks.map { $0.segments.flatMap(\.offsets) } == [[0, 1], [2], [3]])
        #expect(chunks.map(\.deadline) == [deadlines[0], deadlines[2], deadlines[3]].map(\.milliseconds))
        #expect(chunks.allSatisfy { $0.countsBadge })
        #expect(chunks.allSatisfy { $0.variants.count == 1 })
    }

    /// Goal: a badge is counted for the devices of the platform whose message says so, and for no others: their next
    /// badge would be too high. Method: a message of the platform's own.
    @Test func badgesAreCountedWhereTheMessageSaysSo() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        var own = PushMessage()
        own.body = LocalizedText("own")
        own.badge = .increment
        task.content.messages = [.ios: own]
        scene.keep(task)
        let devices = try [Scene.device(.apns, number: 0), Scene.device(.fcm, number: 1)]
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        #expect(try outputs.dispatches(Topics.dispatchAPNs).map(\.countsBadge) == [true])
        #expect(try outputs.dispatches(Topics.dispatchAndroid).map(\.countsBadge) == [false])
    }
}
