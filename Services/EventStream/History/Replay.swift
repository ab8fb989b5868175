import PushModel

/// What a client that resumes has been sent so far. A plain value: its owner locks it together with the history.
///
/// The position that the client came with may have been reached in another order of the partitions, on another
/// instance. So events below it are skipped one by one, and ids say what the client has by then: what it came with, and
/// what this instance has read up to the event.
struct Replay: Sendable {
    enum Step: Equatable {
        case send([UInt8])
        /// Everything read so far was sent. The client has come further than this instance if it has a position; events
        /// below that are to be skipped.
        case done(ahead: StreamPosition?)
    }

    /// Large enough that a client with much to catch up on takes few steps.
    private static let stepBytes = 16 << 10

    private let app: AppID
    private let names: [TopicName]
    private let resumed: StreamPosition
    private var passed: StreamPosition
    private var number: Int
    /// Events that the client has not seen may be missing; it is told once.
    private(set) var isGap: Bool

    init(app: AppID, names: [TopicName], from resumed: StreamPosition, history: EventHistory) {
        self.app = app
        self.names = names
        self.resumed = resumed
        let start = history.start(at: resumed)
        passed = start.position
        number = start.number
        isGap = !resumed.includes(history.beginning)
    }

    mutating func next(_ history: EventHistory) -> Step {
        if number < history.firstNumber {
            // The client reads more slowly than the history moves on.
            isGap = true
            number = history.firstNumber
            passed = passed.union(history.beginning)
        }
        var bytes: [UInt8] = []
        if isGap {
            isGap = false
            bytes += StreamText.gap(id: resumed.union(passed).text)
        }
        while bytes.count < Replay.stepBytes, let entry = history.entry(number) {
            number += 1
            passed[entry.partition] = entry.offset + 1
            guard entry.event.app == app, entry.offset >= resumed[entry.partition],
                let name = entry.event.topics.first(where: { names.contains($0) })
            else { continue }
            bytes += entry.event.bytes(for: name, id: resumed.union(passed).text)
        }
        if !bytes.isEmpty { return .send(bytes) }
        return .done(ahead: history.position.includes(resumed) ? nil : resumed)
    }
}
