import Glibc
import ServiceKit
import TLSSocket

/// Runs one connection: passes events to the state machine, performs its actions, and moves bytes. Lives on the
/// connection's thread, the only one that uses socket, TLS and reply reader.
final class RedisConnectionDriver {
    private let context: RedisConnectionContext
    private let channel: RedisChannel
    private var machine: RedisConnectionMachine
    private var socket: TLSSocket?
    private var reader: RedisReplyReader
    private var inFlight = RedisInFlight()
    /// During the greeting `inFlight` holds only its command, which no caller submitted.
    private var isGreeting = false
    /// True if the socket must become writable before work continues.
    private var wantsWritable = false
    /// False if `poll` has just told that there is nothing to read: after most writes there is no reply yet.
    private var mayRead = true
    private var lastObstacle: RedisError?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    init(_ context: RedisConnectionContext, channel: RedisChannel) {
        self.context = context
        self.channel = channel
        machine = RedisConnectionMachine(context.configuration, random: context.random)
        reader = RedisReplyReader(bytesMaximum: context.configuration.replyBytesMaximum)
    }

    deinit {
        buffer.deallocate()
    }

    /// Returns when the connection is closed.
    func run() {
        handle(.started)
        while true {
            let wasReady = machine.state == .ready
            let order = channel.take(ifReady: wasReady, now: context.time.uptime)
            fail(order.overdue, error: neverSent())
            order.commands.forEach { inFlight.append($0) }
            if order.isAborted || isOver(order) { break }
            moveBytes()
            checkDeadlines()
            // The last reply may just have arrived, and nothing would wake a sleeping thread.
            if isOver(order) { break }
            // Commands that waited for readiness were submitted earlier, so nothing wakes the thread for them.
            mayRead = true
            if wasReady == (machine.state == .ready) { waitForEvents(outboxDeadline: order.earliestDeadline) }
        }
        handle(.closed)
    }

    private func isOver(_ order: RedisChannel.Order) -> Bool {
        order.isDrained && (isGreeting || inFlight.isEmpty)
    }
}

extension RedisConnectionDriver {
    private func handle(_ event: RedisConnectionMachine.Event) {
        switch machine.handle(event, now: context.time.uptime) {
        case .none: break
        case .open: open()
        case .greet(let command):
            isGreeting = true
            // The machine's own timeout bounds the greeting.
            let now = context.time.uptime
            let limit = now + context.configuration.connectDeadline * 2
            inFlight.append(RedisPending(command: command, submitted: now, deadline: limit) { _ in })
        case .serve: serve()
        case .drop(let error): drop(error)
        case .stop: stop()
        }
    }

    private func open() {
        if lastObstacle != nil { context.reconnects.increment() }
        do throws(TLSSocketError) {
            // Created for each connection, so that a renewed certificate is used without a restart.
            let tls = try context.configuration.tls.map { tls throws(TLSSocketError) in try TLSContext(tls) }
            socket = try TLSSocket(host: context.address.host, port: context.address.port, tls: tls)
        } catch {
            handle(.failed(RedisError(error)))
        }
    }

    private func serve() {
        channel.report(ready: true, obstacle: nil)
        if lastObstacle != nil { context.log.info("Redis is reachable again", [.address: "\(context.address)"]) }
        lastObstacle = nil
    }

    private func drop(_ error: RedisError) {
        socket = nil
        wantsWritable = false
        reader = RedisReplyReader(bytesMaximum: context.configuration.replyBytesMaximum)
        let (sent, unsent) = isGreeting ? ([], []) : inFlight.takeAll()
        inFlight = RedisInFlight()
        isGreeting = false
        channel.report(ready: false, obstacle: error)
        if lastObstacle != error {
            context.log.warning("Redis is not reachable", [.address: "\(context.address)", .error: error.message])
        }
        lastObstacle = error
        channel.putBack(unsent)
        fail(
            sent,
            error: RedisError(.unknown, message: "sent to \(context.address), but not answered: \(error.message)"))
        // Waiting does not help against wrong settings.
        if error.code == .refused { fail(channel.takeAll(), error: error) }
    }

    private func stop() {
        socket = nil
        let (sent, unsent) = isGreeting ? ([], []) : inFlight.takeAll()
        channel.report(ready: false, obstacle: RedisError(.closed, message: "the client is closed"))
        fail(sent, error: RedisError(.unknown, message: "the client was closed before the reply arrived"))
        fail(
            unsent + channel.takeAll(),
            error: RedisError(.closed, message: "the client was closed before the command was sent"))
    }

    private func fail(_ commands: [RedisPending], error: @autoclosure () -> RedisError) {
        guard !commands.isEmpty else { return }
        channel.settle(cost: commands.reduce(0) { $0 + $1.cost })
        let error = error()
        commands.forEach { $0.completion(.failure(error)) }
    }

    private func neverSent() -> RedisError {
        let reason = lastObstacle.map(\.message) ?? "the connection was not ready"
        return RedisError(.notSent, message: "not sent to \(context.address) within its deadline: \(reason)")
    }
}

extension RedisConnectionDriver {
    private func moveBytes() {
        do throws(RedisError) {
            if socket?.phase != .open { try advance() }
            guard let socket, socket.phase == .open else { return }
            try write(to: socket)
            // With TLS, bytes may have been read from the socket already that `poll` does not know of.
            if mayRead || context.configuration.tls != nil { try read(from: socket) }
        } catch {
            handle(.failed(error))
        }
    }

    private func advance() throws(RedisError) {
        guard let socket else { return }
        let progress = try RedisError.translating { () throws(TLSSocketError) in try socket.advance() }
        wantsWritable = progress == .wantWrite
        if machine.state == .connecting && socket.phase != .connecting { handle(.connected) }
        if machine.state == .handshaking && socket.phase == .open { handle(.secured) }
    }

    private func write(to socket: TLSSocket) throws(RedisError) {
        wantsWritable = false
        while inFlight.hasUnwrittenBytes {
            let attempt = inFlight.withUnwrittenBytes { bytes in
                Result { () throws(TLSSocketError) in try socket.write(bytes) }
            }
            switch try attempt.mapError({ RedisError($0) }).get() {
            case .bytes(let count): inFlight.wrote(count)
            case .wantWrite:
                wantsWritable = true
                return
            case .wantRead: return
            case .end: throw RedisError(.notSent, message: "the server closed the connection")
            }
        }
    }

    private func read(from socket: TLSSocket) throws(RedisError) {
        // Bounded, so that a long reply delays neither deadlines nor new commands.
        for _ in 0..<16 {
            let transfer = try RedisError.translating { () throws(TLSSocketError) in try socket.read(into: buffer) }
            switch transfer {
            case .bytes(let count):
                try deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                // A reply can end this connection; its remaining bytes must not reach the next connection's reader.
                guard self.socket === socket else { return }
                // A short read has emptied a plain socket; with TLS each read gives one record at most.
                if count < buffer.count && context.configuration.tls == nil { return }
            case .wantRead: return
            case .wantWrite:
                wantsWritable = true
                return
            case .end: throw RedisError(.notSent, message: "the server closed the connection")
            }
        }
    }

    /// Completions run after the whole piece is read, so that its cost is released before any of them submits again.
    private func deliver(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        var answers: [(pending: RedisPending, value: RedisValue)] = []
        var failure: RedisError?
        do throws(RedisError) {
            for start in stride(from: 0, to: bytes.count, by: RedisReplyReader.pieceBytes) {
                let end = min(start + RedisReplyReader.pieceBytes, bytes.count)
                try reader.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                while let value = try reader.next() {
                    guard let pending = inFlight.popAnswered() else {
                        throw RedisError(.notSent, message: "the server answered a command that was never sent")
                    }
                    answers.append((pending, value))
                }
            }
        } catch {
            failure = error
        }
        complete(answers)
        if let failure { throw failure }
    }

    private func complete(_ answers: [(pending: RedisPending, value: RedisValue)]) {
        if isGreeting {
            guard let reply = answers.first?.value else { return }
            isGreeting = false
            return handle(.greeted(reply))
        }
        let now = context.time.uptime
        channel.settle(cost: answers.reduce(0) { $0 + $1.pending.cost })
        for (pending, value) in answers {
            context.durations.record(now - pending.submitted)
            if case .error(let line) = value {
                pending.completion(.failure(RedisError(reply: line)))
            } else {
                pending.completion(.success(value))
            }
        }
    }

    private func checkDeadlines() {
        let now = context.time.uptime
        if let timeout = machine.timeout, timeout <= now { handle(.timedOut) }
        if !isGreeting && inFlight.checkOverdue(now: now) {
            // The stream is unusable: replies can no longer be matched to commands.
            handle(.failed(RedisError(.notSent, message: "the deadline passed")))
        }
    }

    private func waitForEvents(outboxDeadline: Duration?) {
        var polled = [pollfd(fd: channel.wakePipe.descriptor, events: Int16(POLLIN), revents: 0)]
        if let socket {
            // Readability means nothing while connecting.
            let reads = socket.phase == .connecting ? 0 : POLLIN
            let writes = wantsWritable || socket.phase == .connecting || inFlight.hasUnwrittenBytes && isGreeting
            polled.append(pollfd(fd: socket.descriptor, events: Int16(reads | (writes ? POLLOUT : 0)), revents: 0))
        }
        let deadlines = [machine.timeout, outboxDeadline, inFlight.earliestDeadline].compactMap { $0 }
        let timeout = deadlines.min().map { deadline -> Int32 in
            let left = deadline - context.time.uptime
            // Rounded up, so that the thread does not spin through the last millisecond.
            return left <= .zero ? 0 : Int32(clamping: left.wholeMilliseconds + 1)
        }
        let count = poll(&polled, nfds_t(polled.count), timeout ?? -1)
        if count > 0 && polled[0].revents != 0 { channel.wakePipe.drain() }
        if count >= 0 { mayRead = polled.last?.revents != 0 }
    }
}
