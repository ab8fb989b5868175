import ServiceKit
import Synchronization

/// Messages of other threads to an event loop.
final class EventLoopMailbox: Sendable {
    enum Message: Sendable {
        /// A handler's response to a request.
        case answer(connection: UInt64, stream: Int32, HTTPResponse)
        /// A streamed response body has data, or has ended.
        case bodyReady(connection: UInt64, stream: Int32)
        /// The server stops: each connection ends after its next response.
        case drain
        /// The server's stop deadline has passed.
        case abandon
    }

    private struct State {
        var messages: [Message] = []
        /// True if the loop waits, or is about to. A running loop checks for messages before it waits.
        var isLoopAsleep = false
        var isClosed = false
    }

    private let wakePipe = WakePipe()
    private let state = Mutex(State())

    /// Readable while there are messages.
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

    /// Call before the loop waits; false if there are messages, so that it must not wait.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isLoopAsleep = state.messages.isEmpty
            return state.isLoopAsleep
        }
    }

    /// Call when a message has woken the loop.
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

    /// Messages are refused afterwards. Returns the unread ones.
    func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
