import ServiceKit
import Synchronization

/// What other threads tell an event loop.
final class EventLoopMailbox: Sendable {
    enum Message: Sendable {
        /// The handler's answer to a request.
        case answer(connection: UInt64, stream: Int32, HTTPResponse)
        /// The body that is sent while it is written has something to read, or has ended.
        case bodyReady(connection: UInt64, stream: Int32)
        /// The server stops: each answer is the last on its connection.
        case drain
        /// The server waits no longer.
        case abandon
    }

    private struct State {
        var messages: [Message] = []
        /// The loop waits, or is about to. A loop that is at work looks for messages before it waits.
        var isLoopAsleep = false
        var isClosed = false
    }

    private let wakePipe = WakePipe()
    private let state = Mutex(State())

    /// Becomes readable when there are messages.
    var descriptor: Int32 { wakePipe.descriptor }

    /// False when the loop has ended.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isPosted, mustWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            defer { state.isLoopAsleep = false }
            return (true, state.isLoopAsleep)
        }
        if mustWake { wakePipe.wake() }
        return isPosted
    }

    /// To be called before the loop waits: false when there are messages, so that it must not.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isLoopAsleep = state.messages.isEmpty
            return state.isLoopAsleep
        }
    }

    /// The loop was woken by a message.
    func wasWoken() {
        wakePipe.drain()
    }

    func takeAll() -> [Message] {
        state.withLock { state in
            state.isLoopAsleep = false
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
