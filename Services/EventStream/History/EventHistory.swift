import Bus
import PushModel
import ServiceKit
import Topics

/// The newest events of the log, in the order in which this instance read them. A plain value: its owner locks it.
///
/// Resolvers repeat an event after a crash; a task is kept and shown once, as long as it is remembered here.
struct EventHistory: Sendable {
    struct Entry: Sendable {
        let partition: Int32
        let offset: Int64
        let event: ServerSentEvent
    }

    /// Where a replay may begin.
    struct Start: Sendable {
        /// Of the entry that follows.
        let number: Int
        /// What was read before it.
        let position: StreamPosition
    }

    enum Reading {
        case event(Entry)
        /// The task was read before.
        case repeated
        /// Not an event that this version knows.
        case unreadable
    }

    /// Entries between two places where a replay may begin: many clients that resume at once must not search
    /// everything.
    private static let startInterval = 64

    private let bytesMaximum: Int
    /// From the first of them on, events are kept.
    private(set) var beginning: StreamPosition
    /// Everything before it was read.
    private(set) var position: StreamPosition
    private var entries = Queue<Entry>()
    private var starts = Queue<Start>()
    private(set) var firstNumber = 0
    private var tasks: Set<TaskID> = []
    private(set) var bytes = 0

    init(_ held: [Int32: Range<Int64>], bytesMaximum: Int) {
        self.bytesMaximum = bytesMaximum
        beginning = StreamPosition()
        for (partition, offsets) in held { beginning[partition] = offsets.lowerBound }
        position = beginning
    }

    /// Of the next entry; entries are numbered as they are added.
    var nextNumber: Int { firstNumber + entries.count }

    /// Nil for an entry that is not kept any more, or not added yet.
    func entry(_ number: Int) -> Entry? {
        entries[number - firstNumber]
    }

    /// The last place before which there is nothing that a reader at this position has not read.
    func start(at resumed: StreamPosition) -> Start {
        var place = starts.count - 1
        while place >= 0 {
            if let start = starts[place], resumed.includes(start.position) { return start }
            place -= 1
        }
        return Start(number: firstNumber, position: beginning)
    }

    mutating func add(_ message: IncomingMessage) -> Reading {
        let before = position
        position[message.partition.number] = message.offset + 1
        guard let event = try? ListenerEvent(decoding: message.value) else { return .unreadable }
        guard tasks.insert(event.task).inserted else { return .repeated }
        let entry = Entry(
            partition: message.partition.number, offset: message.offset, event: ServerSentEvent(event))
        if nextNumber % EventHistory.startInterval == 0 { starts.append(Start(number: nextNumber, position: before)) }
        entries.append(entry)
        bytes += entry.event.cost
        while bytes > bytesMaximum, entries.count > 1 { removeFirst() }
        return .event(entry)
    }

    private mutating func removeFirst() {
        guard let removed = entries.popFirst() else { return }
        firstNumber += 1
        bytes -= removed.event.cost
        tasks.remove(removed.event.task)
        beginning[removed.partition] = removed.offset + 1
        while let start = starts.first, start.number < firstNumber { starts.popFirst() }
    }
}
