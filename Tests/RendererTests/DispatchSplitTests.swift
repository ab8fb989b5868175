import Bus
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Renderer

@Suite struct DispatchSplitTests {
    /// Goal: no chunk exceeds the limit of the bus. Method: the longest tokens, which are longer than their records.
    @Test func chunksStayWithinWhatTheBusCarries() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(#"{"body":"b"}"#))
        let devices = try (0..<80).map { number in
            let digits = String(number)
            let text = digits + String(repeating: "x", count: 4_096 - digits.count)
            return Device(tag: UInt32(number), token: try PushToken(.fcm, text: text), created: 1)
        }
        let chunk = scene.chunk(devices)
        #expect(chunk.encoded().count <= Topics.messageBytesMaximum)
        let outputs = try await scene.run(scene.handler(), chunks: [chunk])
        #expect(outputs.count == 2)
        #expect(outputs.allSatisfy { $0.value.count <= Topics.messageBytesMaximum })
        let tokens = try outputs.dispatches(Topics.dispatchAndroid).flatMap { $0.segments.flatMap(\.tokens) }
        #expect(tokens == devices.map(\.token.text))
    }

    /// Goal: each device keeps its own text, even with more variants than fit one chunk. Method: as many languages as a
    /// message may have, with long texts.
    @Test func manyVariantsTakeSeveralChunks() async throws {
        let scene = try Scene()
        var task = try scene.task(#"{"body":"b"}"#)
        let names = (0..<120).map { "l\($0)" }
        let long = String(repeating: "y", count: 3_500)
        let translations = Dictionary(uniqueKeysWithValues: names.map { ($0, $0 + long) })
        task.content.message?.body = LocalizedText("b", translations: translations)
        scene.keep(task)
        let devices = try (0..<240).map { try Scene.device(.apns, number: $0, language: names[$0 % names.count]) }
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        #expect(outputs.count > 1)
        #expect(outputs.allSatisfy { $0.value.count <= Topics.messageBytesMaximum })
        var seen: [UInt16: String] = [:]
        for chunk in try outputs.dispatches(Topics.dispatchAPNs) {
            for part in chunk.segments {
                for (offset, variant) in zip(part.offsets, part.variants) {
                    seen[offset] = String(decoding: chunk.variants[Int(variant)].payload.parts[0], as: UTF8.self)
                }
            }
        }
        #expect(seen.count == devices.count)
        for (offset, payload) in seen { #expect(payload.contains("\"\(names[Int(offset) % names.count])yyy")) }
    }
}
