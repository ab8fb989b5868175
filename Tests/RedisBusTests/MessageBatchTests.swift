import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import RedisBus

@Suite struct MessageBatchTests {
    private let channel = TestTopics.make().channel
    private let partition = PartitionID(channel: "t", number: 3)
    private let now = Timestamp(milliseconds: 1_767_225_600_123)

    private func framed(_ message: OutgoingMessage, now: Timestamp) -> [UInt8] {
        var bytes: [UInt8] = []
        MessageBatch.append(message, now: now, to: &bytes)
        return bytes
    }

    private func entry(_ messages: [OutgoingMessage]) -> [UInt8] {
        MessageBatch.entry(count: messages.count, frames: messages.map { framed($0, now: now) })
    }

    private func decode(_ bytes: [UInt8]) throws -> [IncomingMessage] {
        try MessageBatch.decode(bytes, partition: partition, nextOffset: 100)
    }

    /// Absent and empty keys, values of no byte and of every byte, repeated headers.
    private var messages: [OutgoingMessage] {
        let everyByte = (0...255).map { UInt8($0) }
        return [
            OutgoingMessage(channel: channel, key: nil, value: []),
            OutgoingMessage(channel: channel, key: [], value: everyByte),
            OutgoingMessage(
                channel: channel, key: everyByte, value: [UInt8](repeating: 7, count: 70_000),
                headers: [MessageHeader("a", ""), MessageHeader("a", everyByte), MessageHeader("🔔", "ring")]),
        ]
    }

    @Test func whatGoesInComesOut() throws {
        let decoded = try decode(entry(messages))
        #expect(decoded.map(\.offset) == [97, 98, 99])
        for (before, after) in zip(messages, decoded) {
            #expect(after.partition == partition && after.timestamp == now)
            #expect(after.key == before.key && after.value == before.value && after.headers == before.headers)
        }
    }

    @Test func anEmptyBatchIsOne() throws {
        #expect(try decode(MessageBatch.entry(count: 0, frames: [])).isEmpty)
    }

    /// Goal: a truncated batch is never accepted as a whole one.
    @Test func everyTruncationIsRefused() {
        let small = messages.map {
            OutgoingMessage(channel: channel, key: $0.key, value: Array($0.value.prefix(200)), headers: $0.headers)
        }
        let whole = entry(small)
        for length in 0..<whole.count {
            #expect(throws: MalformedMessageError.self) { try decode(Array(whole.prefix(length))) }
        }
        #expect(throws: MalformedMessageError.self) { try decode(whole + [0]) }
    }

    /// Goal: no bytes trap, and everything decoded was present in the bytes. Method: seeded noise, and a valid batch
    /// with some bytes changed.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func hostileBytesNeverTrap(seed: UInt64) throws {
        let random = SeededRandomSource(seed: seed)
        let whole = entry([messages[0], messages[1]])
        for round in 0..<2_000 {
            var bytes = whole
            if round.isMultiple(of: 2) {
                bytes = [1] + (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            } else {
                for _ in 0...(random.next() % 4) {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            guard let decoded = try? decode(bytes) else { continue }
            #expect(decoded.count * 4 <= bytes.count)
            #expect(decoded.reduce(0) { $0 + $1.value.count + ($1.key?.count ?? 0) } <= bytes.count)
        }
    }

    /// Goal: a length is accepted only if its bytes are present. Method: the maximum lengths at each position of a
    /// length; allocating memory for any of them would crash the process.
    @Test(
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40],
        ] as [[UInt8]])
    func hugeLengthsAreRefused(length: [UInt8]) {
        // Version, count, time, key length, header count, name length, value length of the header.
        let places: [[UInt8]] = [
            [1], [1, 1, 0], [1, 1, 0, 0], [1, 1, 0, 0, 1], [1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0],
        ]
        for place in places {
            #expect(throws: MalformedMessageError.self) {
                try decode(place + length + [UInt8](repeating: 0, count: 40))
            }
        }
    }

    @Test func anotherVersionIsRefused() {
        var bytes = entry(messages)
        bytes[0] = 2
        #expect(throws: MalformedMessageError.self) { try decode(bytes) }
    }
}
