import Bus
import ServiceKit
import Synchronization
import Topics

final class MemoryLogReader: BusLogReader {
    private static let pageBytesMaximum = 1 << 20
    private static let patience = Duration.seconds(1)

    let held: [Int32: Range<Int64>]
    private let broker: MemoryBroker
    private let channel: Channel
    private let time: any TimeSource
    private let positions: Mutex<LogPositions>

    init(broker: MemoryBroker, channel: Channel, _ options: LogReaderOptions, time: any TimeSource) {
        self.broker = broker
        self.channel = channel
        self.time = time
        held = broker.held(channel)
        positions = Mutex(LogPositions(held, options, topic: channel.name))
    }

    func next() async throws(BusError) -> [IncomingMessage] {
        let arrival = OneTimeEvent()
        let first = try read(notifying: arrival)
        guard first.isEmpty else { return first }
        _ = await arrival.wait(atMost: MemoryLogReader.patience, time: time)
        broker.forget(arrival)
        return try read(notifying: nil)
    }

    func close() async {}

    private func read(notifying arrival: OneTimeEvent?) throws(BusError) -> [IncomingMessage] {
        try positions.withLock { positions throws(BusError) in
            let page = broker.read(
                channel, from: positions, bytesMaximum: MemoryLogReader.pageBytesMaximum, notifying: arrival)
            return try positions.pass(page)
        }
    }
}
