package import Topics

/// Reads a topic or lane and follows it, without a group: every reader sees every message, and nothing is recorded about
/// it. Used by one task at a time.
package protocol BusLogReader: Sendable {
    /// The offsets that each partition held when the reader was made.
    var held: [Int32: Range<Int64>] { get }
    /// The messages that follow, in order within a partition. Waits up to a second for one, then returns none.
    ///
    /// After `unavailable` call again; nothing is skipped. After any other error, such as `replaced`, the reader is of
    /// no use: make another one.
    func next() async throws(BusError) -> [IncomingMessage]
    func close() async
}

extension Bus {
    package func makeLogReader(
        _ channel: Channel, _ options: LogReaderOptions
    ) async throws(BusError) -> any BusLogReader {
        throw BusError(.refused, message: "this bus has no readers of \(channel.name) without a group")
    }

    /// A reader of every message, from the oldest on.
    package func makeLogReader(_ channel: Channel) async throws(BusError) -> any BusLogReader {
        try await makeLogReader(channel, LogReaderOptions())
    }
}

package struct LogReaderOptions: Sendable {
    package enum Start: Sendable {
        case oldest
        case end
        /// The next offset of each partition, where an earlier reader stopped.
        case positions([Int32: Int64])
    }

    package var start: Start
    /// Whether the reader continues after messages that were removed before it read them. Otherwise that is `replaced`.
    package var skipsRemoved: Bool

    package init(start: Start = .oldest, skipsRemoved: Bool = false) {
        self.start = start
        self.skipsRemoved = skipsRemoved
    }

    /// The first offset to be read of each partition. A position that the partition no longer holds, or does not hold
    /// yet because the log is another one, becomes its oldest.
    package func beginnings(in held: [Int32: Range<Int64>]) -> [Int32: Int64] {
        switch start {
        case .oldest: held.mapValues(\.lowerBound)
        case .end: held.mapValues(\.upperBound)
        case .positions(let positions):
            Dictionary(
                uniqueKeysWithValues: held.map { partition, offsets in
                    let position = positions[partition] ?? offsets.lowerBound
                    let isHeld = (offsets.lowerBound...offsets.upperBound).contains(position)
                    return (partition, isHeld ? position : offsets.lowerBound)
                })
        }
    }
}

/// Positions of a reader: the next expected offset of each partition.
package struct LogPositions: Sendable {
    private let topic: String
    package let skipsRemoved: Bool
    private var next: [Int32: Int64]

    package init(_ held: [Int32: Range<Int64>], _ options: LogReaderOptions, topic: String) {
        self.topic = topic
        skipsRemoved = options.skipsRemoved
        next = options.beginnings(in: held)
    }

    package var partitions: [Int32] { next.keys.sorted() }

    package subscript(partition: Int32) -> Int64 { next[partition] ?? 0 }

    package var all: [Int32: Int64] { next }

    /// Returns the messages to be read. Throws if one is not the next: others were removed before they were read, or
    /// the log is another one. If the reader skips removed messages, drops those before its position: a batch in which
    /// the position is holds some.
    package mutating func pass(_ messages: [IncomingMessage]) throws(BusError) -> [IncomingMessage] {
        var passed: [IncomingMessage] = []
        passed.reserveCapacity(messages.count)
        for message in messages {
            let (partition, offset) = (message.partition.number, message.offset)
            let expected = next[partition]
            guard let expected, offset == expected || skipsRemoved else {
                throw replaced("expected offset \(self[partition]) of partition \(partition), found \(offset)")
            }
            guard offset >= expected else { continue }
            next[partition] = offset + 1
            passed.append(message)
        }
        return passed
    }

    package func replaced(_ reason: String) -> BusError {
        BusError(.replaced, message: "\(topic) is not the log that was read so far: \(reason)")
    }
}
