import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TestSupport
import Testing
import Topics

@Suite struct UntriedResultsTests {
    private let time = ManualTimeSource()
    private let task = TaskID(high: 7, low: 1)

    @Test func eachDeviceIsReportedWithTheReasonOfItsEnd() async throws {
        let registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
        let app = try AppID("news")
        let ids = try await registry.registerSamples(1..<5, in: app)
        let bus = MemoryBus(time: time, random: SeededRandomSource(seed: 2))
        let results = UntriedResults(
            registry: registry, ledger: MemoryLedger(time: time),
            producer: try await bus.makeProducer(ProducerOptions()), time: time)
        let states = zip(ids, [DeliveryState.cancelled, .expired, .unknown])
        for (segment, devices) in Dictionary(grouping: states, by: \.0.index.segment) {
            let ended = Dictionary(grouping: devices, by: \.1).mapValues { SegmentSet($0.map(\.0.index.offset)) }
            #expect(try await results.report(ended, of: task, in: SegmentID(app, number: segment)) == 0)
        }
        let reported = try await batches(bus)
        #expect(reported.allSatisfy { $0.task == task && $0.app == app && $0.time == time.now })
        let expected = zip(states, ["cancelled", "deadline", "lost"]).map { device, reason in
            DeviceResult(
                device: device.0, provider: .apns, state: device.1, attempt: 0, status: 0, reason: reason)
        }
        #expect(Set(reported.flatMap(\.results)) == Set(expected))
    }

    /// A device without an id is counted, but has no result on the bus.
    @Test func whoLeftTheRegistryIsCounted() async throws {
        let registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
        let app = try AppID("news")
        let id = try await registry.registerSamples(1..<2, in: app)[0]
        #expect(try await registry.remove(id, in: app))
        let bus = MemoryBus(time: time, random: SeededRandomSource(seed: 2))
        let results = UntriedResults(
            registry: registry, ledger: MemoryLedger(time: time),
            producer: try await bus.makeProducer(ProducerOptions()), time: time)
        let ended = [DeliveryState.expired: SegmentSet([id.index.offset]), .cancelled: SegmentSet()]
        #expect(try await results.report(ended, of: task, in: SegmentID(app, number: id.index.segment)) == 1)
        #expect(try await batches(bus).isEmpty)
    }

    @Test func anUnreadableRecordNamesNoDevice() throws {
        var devices = PackedDevices()
        devices.append(offset: 1, record: [])
        devices.append(offset: 2, record: [0xFF, 1, 2, 3, 4, 5])
        for offset in [UInt16(3), 4] {
            let token = try PushToken(.fcm, text: String(repeating: "a", count: 40))
            devices.append(offset: offset, record: Device(tag: UInt32(offset), token: token, created: 1).packed)
        }
        let segment = SegmentNumber(rawValue: 9)
        let results = devices.untriedResults(of: SegmentSet([1, 2, 3, 5]), as: .cancelled, in: segment)
        let named = DeviceID(index: DeviceIndex(segment: segment, offset: 3), tag: 3)
        #expect(results.map(\.device) == [named] && results.map(\.provider) == [.fcm])
    }

    private func batches(_ bus: MemoryBus) async throws -> [ResultBatch] {
        var batches: [ResultBatch] = []
        try await bus.scan(Topics.results.channel) { message in
            batches.append(try ResultBatch(decoding: message.value))
            return true
        }
        return batches
    }
}
