import Synchronization

/// A response body that is written while the client reads: from any thread, through a bounded buffer.
///
/// Use it for one `HTTPResponse`. It ends with `finish()`, or when its reader leaves: then writes fail, `hasReaderLeft`
/// becomes true, and the closures passed to `onLeave` run. The reader also leaves when the server's stop deadline
/// passes, or when it reads nothing for the server's idle timeout, which bounds every `write`.
package final class HTTPStream: Sendable {
    private struct State {
        var buffer: StreamBuffer
        /// Wakes the reader when there is data, or when the stream has ended.
        var wakeReader: (@Sendable () -> Void)?
        var writers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWriter = 0
        var onLeave: (@Sendable () -> Void)?
        var producer: Task<Void, Never>?
    }

    package enum Attempt: Equatable, Sendable {
        case written
        /// The reader is slower than the writer; nothing was stored.
        case full
        case readerLeft
    }

    private let lock: Mutex<State>
    private let produce: (@Sendable (HTTPStream) async -> Void)?

    package init(bytesMaximum: Int = 64 << 10) {
        lock = Mutex(State(buffer: StreamBuffer(bytesMaximum: bytesMaximum)))
        produce = nil
    }

    /// Runs `produce` in its own task once the header is being sent; the stream ends when it returns, and the task is
    /// cancelled when the reader leaves.
    package init(bytesMaximum: Int = 64 << 10, produce: @escaping @Sendable (HTTPStream) async -> Void) {
        lock = Mutex(State(buffer: StreamBuffer(bytesMaximum: bytesMaximum)))
        self.produce = produce
    }

    package var hasReaderLeft: Bool { lock.withLock { $0.buffer.hasReaderLeft } }

    /// Runs `body` once, when the reader leaves; immediately if it has already left. It must not block.
    package func onLeave(_ body: @escaping @Sendable () -> Void) {
        let hasLeft = lock.withLock { state in
            if !state.buffer.hasReaderLeft { state.onLeave = body }
            return state.buffer.hasReaderLeft
        }
        if hasLeft { body() }
    }

    /// Stores the piece if it fits now.
    package func tryWrite(_ piece: [UInt8]) -> Attempt {
        let (written, wakeReader) = lock.withLock { state in
            let written = state.buffer.write(piece)
            return (written, written == .stored(wakesReader: true) ? state.wakeReader : nil)
        }
        wakeReader?()
        switch written {
        case .stored: return .written
        case .full: return .full
        case .readerLeft: return .readerLeft
        }
    }

    /// Suspends until the piece fits.
    package func write(_ piece: [UInt8]) async throws(HTTPServerError) {
        while true {
            switch tryWrite(piece) {
            case .written: return
            case .readerLeft: throw HTTPServerError(.readerLeft, message: "the client closed the stream")
            case .full: await nextRead()
            }
            guard !Task.isCancelled else {
                throw HTTPServerError(.cancelled, message: "the writing task was cancelled")
            }
        }
    }

    package func finish() {
        let wakeReader = lock.withLock { state in
            state.buffer.finish() ? state.wakeReader : nil
        }
        wakeReader?()
    }

    /// Returns after the next read, when the reader leaves, or when this task is cancelled.
    private func nextRead() async {
        let id = lock.withLock { state in
            state.nextWriter += 1
            return state.nextWriter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNoWait = lock.withLock { state in
                    // A cancellation before this point had no waiter to wake; its flag is checked here.
                    guard state.buffer.bytesBuffered > 0, !Task.isCancelled else { return true }
                    state.writers[id] = continuation
                    return false
                }
                if isNoWait { continuation.resume() }
            }
        } onCancel: {
            lock.withLock { $0.writers.removeValue(forKey: id) }?.resume()
        }
    }
}

/// The server's side of the stream.
extension HTTPStream {
    /// Called when the header is being sent; `wakeReader` may be called from any thread, after a read that had to wait.
    func attach(wakeReader: @escaping @Sendable () -> Void) {
        lock.withLock { $0.wakeReader = wakeReader }
        guard let produce else { return }
        let task = Task {
            await produce(self)
            finish()
        }
        let hasLeft = lock.withLock { state in
            state.producer = task
            return state.buffer.hasReaderLeft
        }
        if hasLeft { task.cancel() }
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> StreamBuffer.Read {
        let (read, writers) = lock.withLock { state in
            let read = state.buffer.read(into: target)
            guard case .bytes = read, !state.writers.isEmpty else {
                return (read, [CheckedContinuation<Void, Never>]())
            }
            defer { state.writers = [:] }
            return (read, Array(state.writers.values))
        }
        for writer in writers { writer.resume() }
        return read
    }

    func leave() {
        let (writers, onLeave, producer) = lock.withLock { state in
            defer {
                state.writers = [:]
                state.wakeReader = nil
                state.onLeave = nil
                state.producer = nil
            }
            state.buffer.leave()
            return (Array(state.writers.values), state.onLeave, state.producer)
        }
        producer?.cancel()
        for writer in writers { writer.resume() }
        onLeave?()
    }
}
