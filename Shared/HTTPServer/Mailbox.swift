import ServiceKit
import Synchronization

/// What other threads tell an event loop.
final class Mailbox: Sendable {
    enum Message: Sendable {
        /// The handler's answer to the request on a connection.
        case answer(connection: UInt64, HTTPResponse)
        /// The stream that a connection sends has something to read, or has ended.
        case streamReady(connection: UInt64)
        /// The server stops: each answer is the last on its connection.
        case drain
        /// The server waits no longer.
        case abandon
    }

    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    private let wakePipe = WakePipe()
    private let state = Mutex(State())

    /// Becomes readable when there are messages.
    var descriptor: Int32 { wakePipe.descriptor }

    /// False when the loop has ended.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isPosted, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            return (true, state.messages.count == 1)
        }
        // The loop takes all messages at once, so the first of them wakes it for those that follow.
        if isFirst { wakePipe.wake() }
        return isPosted
    }

    func takeAll() -> [Message] {
        wakePipe.drain()
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Afterwards nothing is taken any more. Returns what nobody has read.
    func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
