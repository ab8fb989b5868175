import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store
import Topics

/// A bus whose `registry` topic holds the records of synthetic devices after compaction: one for the device, one for
/// its badge and one for each subscription. It supports only scans.
///
/// A segment's records are created when the scan reaches it, so that the log takes no more memory than one segment. The
/// time for this is measured, so that a measurement of the reader can subtract it.
final class SyntheticLog: Bus {
    private let devices: Int
    private let app: AppID
    private let making = Monitor(0.0)

    init(devices: Int, app: AppID) {
        self.devices = devices
        self.app = app
    }

    /// Time used to create the records.
    var secondsOfMaking: Double { making.withLock { $0 } }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        guard channel == Topics.registry.channel else { return }
        let capacity = DeviceIndex.segmentCapacity
        for first in stride(from: 0, to: devices, by: capacity) {
            let started = Usage.now
            let messages = try messages(of: first..<min(first + capacity, devices))
            making.change { $0 += (Usage.now - started).seconds }
            for message in messages {
                guard try await visit(message) else { return }
            }
        }
    }

    /// One segment in a partition of its own.
    private func messages(of numbers: Range<Int>) throws -> [IncomingMessage] {
        let segment = numbers.lowerBound / DeviceIndex.segmentCapacity
        let partition = PartitionID(channel: Topics.registry.channel.name, number: Int32(segment))
        var messages: [IncomingMessage] = []
        for number in numbers {
            for content in try contents(of: SyntheticDevice(number)) {
                let record = RegistryRecord(
                    RegistryChange(app: app, index: DeviceIndex(rawValue: UInt32(number)), content))
                messages.append(
                    IncomingMessage(
                        partition: partition, offset: Int64(messages.count), key: record.key, value: record.value,
                        headers: [], timestamp: Timestamp(milliseconds: 0)))
            }
        }
        return messages
    }

    private func contents(of synthetic: SyntheticDevice) throws -> [RegistryChange.Content] {
        var device = Device(
            tag: UInt32(truncatingIfNeeded: synthetic.number &* 0x9E37_79B1), token: try synthetic.token(),
            created: 1_700_000_000)
        device.language = synthetic.language
        device.aliases = [.externalUser: synthetic.user]
        return try [.device(device), .badge(synthetic.badge)]
            + synthetic.topics.map { .subscription(try TopicName($0), []) }
    }

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer { throw onlyScanned }
    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer { throw onlyScanned }
    func readiness() async -> Health.Readiness { .ready }
    func close() async {}

    private var onlyScanned: BusError { BusError(.refused, message: "this log can only be scanned") }
}
