package import Topics

/// Reads a log from its oldest message on, without a group: every reader sees every message, and nothing is recorded
/// about it. Used by one task at a time.
package protocol BusLogReader: Sendable {
    /// The offsets that each partition held when the reader was made: the first is where it begins.
    var held: [Int32: Range<Int64>] { get }
    /// The messages that follow, in order within a partition. Waits up to a second for one, then returns none.
    ///
    /// After `unavailable` call again; nothing is skipped. After any other error, such as `replaced`, the reader is of
    /// no use: make another one.
    func next() async throws(BusError) -> [IncomingMessage]
    func close() async
}

extension Bus {
    package func makeLogReader(_ channel: Channel) async throws(BusError) -> any BusLogReader {
        throw BusError(.refused, message: "this bus has no readers of \(channel.name) without a group")
    }
}

/// Positions of a reader: the next expected offset of each partition.
package struct LogPositions: Sendable {
    private let topic: String
    private var next: [Int32: Int64]

    package init(_ held: [Int32: Range<Int64>], topic: String) {
        self.topic = topic
        next = held.mapValues(\.lowerBound)
    }

    package var partitions: [Int32] { next.keys.sorted() }

    package subscript(partition: Int32) -> Int64 { next[partition] ?? 0 }

    /// Throws if the message is not the next one: others were removed before they were read, or the log is another one.
    package mutating func pass(_ message: IncomingMessage) throws(BusError) {
        let partition = message.partition.number
        guard let expected = next[partition], message.offset == expected else {
            throw replaced("expected offset \(self[partition]) of partition \(partition), found \(message.offset)")
        }
        next[partition] = expected + 1
    }

    package func replaced(_ reason: String) -> BusError {
        BusError(.replaced, message: "\(topic) is not the log that was read so far: \(reason)")
    }
}
