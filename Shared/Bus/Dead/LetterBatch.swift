package import Topics

/// Letters to be sent to their topics again, each of which is marked once all are durable there.
package struct LetterBatch {
    private struct Entry {
        let message: OutgoingMessage
        let mark: ReplayMark
    }

    private static let messagesMaximum = 200
    private static let bytesMaximum = 1 << 20

    private var entries: [Entry] = []
    private var cost = 0

    package init() {}

    package mutating func add(_ position: DeadPosition, record: DeadRecord) throws(LetterRefusal) {
        guard case .letter(let letter) = record else { throw .notALetter }
        guard letter.isWhole else { throw .withoutValue }
        guard let message = letter.replay(into: Topics.channel(named: letter.channel)) else {
            throw .unknownTopic(letter.channel)
        }
        entries.append(Entry(message: message, mark: ReplayMark(position, key: letter.key)))
        cost += message.cost
    }

    package var isEmpty: Bool { entries.isEmpty }

    package var isFull: Bool {
        entries.count >= LetterBatch.messagesMaximum || cost >= LetterBatch.bytesMaximum
    }

    package var count: Int { entries.count }

    /// Where each letter lies, and the channel it goes to.
    package var routes: [(position: DeadPosition, channel: Channel)] {
        entries.map { ($0.mark.position, $0.message.channel) }
    }

    /// Marks are sent last: a missing mark causes at most a duplicate, a mark sent too early would lose the letter.
    package func send(with producer: any BusProducer) async throws(BusError) {
        try await producer.send(entries.map(\.message))
        try await producer.send(entries.map(\.mark.outgoing))
    }
}
