import Bus
import JSONKit
import PushModel
import ServiceKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Renderer

/// Devices of web-sender's protocols: browsers with their keys, phones by their version, addresses.
@Suite struct WebFamilyTests {
    private static let bilingual = #"{"title":"T","body":{"default":"Hello","fr":"Bonjour"},"data":{"k":"v"}}"#

    private static func browser(_ number: Int, language: String? = nil) throws -> Device {
        var device = try Scene.device(.webpush, number: number, language: language)
        let publicKey = [4] + (0..<64).map { UInt8($0 + number) }
        device.webPushKeys = WebPushKeys(publicKey: publicKey, secret: Array(repeating: UInt8(number), count: 16))
        return device
    }

    private static func phone(_ number: Int, version: String?, language: String? = nil) throws -> Device {
        var device = try Scene.device(.mpns, number: number, language: language)
        device.version = version
        return device
    }

    private static func payloads(_ chunk: DispatchChunk) -> [String] {
        chunk.segments.flatMap { part in
            part.variants.map {
                String(decoding: chunk.variants[Int($0)].payload.payload(token: "", badge: 0), as: UTF8.self)
            }
        }
    }

    /// Retries take the same way: their chunks have the records again, so the keys are those of now.
    @Test(arguments: [UInt8(0), 3]) func eachDeviceGetsItsFormAndKeepsItsKeys(attempt: UInt8) async throws {
        let scene = try Scene()
        scene.keep(try scene.task(Self.bilingual))
        let devices = [
            try Self.browser(0), try Self.browser(1, language: "fr"), try Scene.device(.wns, number: 2),
            try Self.phone(3, version: "8.10"), try Scene.device(.http, number: 4, language: "fr"),
            try Scene.device(.apns, number: 5),
        ]
        let outputs = try await scene.run(
            scene.handler(), chunks: [scene.chunk(devices, silent: [0], lane: .fast, attempt: attempt)])
        #expect(outputs.count == 2)
        let chunk = try #require(try outputs.dispatches(Topics.dispatchWeb, lane: .fast).first)
        let part = try #require(chunk.segments.first)
        #expect(chunk.attempt == attempt && chunk.segments.count == 1)
        #expect(part.offsets == [0, 1, 2, 3, 4])
        #expect(part.tokens == devices.prefix(5).map(\.token.text))
        #expect((0..<5).map { part.webPushKeys(at: $0) } == devices.prefix(5).map(\.webPushKeys))
        let variants = part.variants.map { chunk.variants[Int($0)] }
        #expect(variants.map(\.kind) == [.webpush, .webpush, .wns, .mpns, .http])
        #expect(variants.map(\.isSilent) == [true, false, false, false, false])
        let payloads = Self.payloads(chunk)
        #expect(try JSON(payloads[0])["notification"] == nil && JSON(payloads[0])["data"]?["k"] == .string("v"))
        #expect(try JSON(payloads[1])["notification"]?["body"] == .string("Bonjour"))
        #expect(payloads[2].contains("<text id=\"2\">Hello</text>"))
        #expect(payloads[3].contains("<wp:Text2>Hello</wp:Text2>") && payloads[3].contains("<wp:Param>"))
        #expect(try JSON(payloads[4])["message"] == JSON(#"{"default":"Hello","fr":"Bonjour"}"#))
    }

    /// Goal: a phone never gets the payload of its neighbour's version. Method: versions and languages in all orders.
    @Test(arguments: Dice.seeds) func thePayloadFollowsTheVersion(seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        let scene = try Scene()
        scene.keep(try scene.task(Self.bilingual))
        let versions: [String?] = [nil, "7.0", "7.5", "7.10", "8.0", "8.10"]
        let devices = try (0..<60).map { number in
            try Self.phone(
                number, version: versions[dice.number(below: versions.count)],
                language: dice.chance(1, of: 2) ? "fr" : nil)
        }
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        let chunk = try #require(try outputs.dispatches(Topics.dispatchWeb).first)
        for (device, payload) in zip(devices, Self.payloads(chunk)) {
            let hasParameter = device.version.map { $0 != "7.0" } ?? false
            #expect(payload.contains("<wp:Param>") == hasParameter, "\(device.version ?? "none")")
            #expect(payload.contains(device.language == "fr" ? "Bonjour" : "Hello"))
        }
        #expect(chunk.variants.count <= 6)
    }

    /// Goal: a payload with all languages is in a chunk once, whatever its devices speak.
    @Test func languagesDoNotMultiplyAnAddressesPayload() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(Self.bilingual))
        let devices = try (0..<20).map { number in
            try Scene.device(.http, number: number, language: ["fr", "de", "l\(number)"][number % 3])
        }
        let outputs = try await scene.run(scene.handler(), chunks: [scene.chunk(devices)])
        let chunk = try #require(try outputs.dispatches(Topics.dispatchWeb).first)
        #expect(chunk.variants.count == 1 && chunk.deviceCount == 20)
    }

    /// Goal: the topic of web-sender being full repeats nothing on the others.
    @Test func aFullTopicHoldsOnlyItsOwnDevices() async throws {
        let scene = try Scene()
        scene.keep(try scene.task(Self.bilingual))
        let chunk = scene.chunk([try Scene.device(.apns, number: 0), try Self.browser(1)])
        let handler = scene.handler()
        scene.producer.setFull([Topics.dispatchWeb.channel(.bulk).name])
        for _ in 0..<2 { await #expect(throws: BusError.self) { try await scene.run(handler, chunks: [chunk]) } }
        #expect(try scene.producer.sent.dispatches(Topics.dispatchAPNs).count == 1)
        scene.producer.setFull([])
        let outputs = try await scene.run(handler, chunks: [chunk])
        #expect(try outputs.dispatches(Topics.dispatchWeb).map(\.deviceCount) == [1])
        #expect(try outputs.dispatches(Topics.dispatchAPNs).isEmpty)
    }
}
