import ServiceKit
import Synchronization

/// Events between the thread that receives them and the tasks that make them durable. Full, it refuses the newest.
final class EventQueue: Sendable {
    /// Several seconds of the highest rate, for a short failure of the store.
    static let eventsMaximum = 65_536
    static let bytesMaximum = 32 << 20

    private struct State {
        var waiting = Queue<QueuedEvent>()
        var bytes = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    var count: Int { state.withLock { $0.waiting.count } }

    /// False if the queue is full.
    func add(_ event: QueuedEvent) -> Bool {
        let (isAdded, isFirst) = state.withLock { state in
            let bytes = state.bytes + event.datagram.byteCount
            guard state.waiting.count < EventQueue.eventsMaximum, bytes <= EventQueue.bytesMaximum else {
                return (false, false)
            }
            state.waiting.append(event)
            state.bytes = bytes
            return (true, state.waiting.count == 1)
        }
        // The one who takes waits only for a queue that was empty.
        if isFirst { changes.continuation.yield() }
        return isAdded
    }

    /// No more events are added; those that wait are still taken.
    func close() {
        state.withLock { $0.isClosed = true }
        changes.continuation.yield()
    }

    /// Waits for events; empty once the queue is closed and empty, or if the calling task is cancelled. For one caller.
    func take(atMost limit: Int) async -> [QueuedEvent] {
        var changed = changes.stream.makeAsyncIterator()
        while true {
            let (events, isClosed) = state.withLock { state in
                var events: [QueuedEvent] = []
                while events.count < limit, let event = state.waiting.popFirst() {
                    state.bytes -= event.datagram.byteCount
                    events.append(event)
                }
                return (events, state.isClosed)
            }
            guard events.isEmpty, !isClosed, await changed.next() != nil else { return events }
        }
    }
}

/// An event whose sender was authorized.
struct QueuedEvent: Sendable {
    let datagram: EventDatagram
    let sender: EventSender
}
