import CMicroHTTPD
import Glibc
import ServiceKit
import Synchronization

/// What the library does not look after, on a thread of its own: deadlines of headers and bodies, sockets that linger,
/// and clients that close their side. The library does not listen to suspended connections, and on the others it misses
/// an end that comes together with data.
///
/// Closing a socket that still receives makes the kernel reset the connection, and the client may lose the answer that
/// refuses its body. So such a socket is kept half open and read until the client has closed its side.
final class ConnectionWatch: Sendable {
    private struct Lingering {
        let deadline: Duration
        var bytesLeft = 64 << 20
    }

    private static let lingeringMaximum = 256
    private static let lingeringTime = Duration.seconds(5)
    /// Marks an epoll entry as a lingering socket; ids of connections never reach it.
    private static let lingeringMark: UInt64 = 1 << 63

    private let table: ConnectionTable
    private let time: any TimeSource
    private let tick: Duration
    private let epoll: Int32
    private let isStopped = Atomic<Bool>(false)
    private let lingering = Mutex<[Int32: Lingering]>([:])

    /// `tick` is how late a deadline may be noticed.
    init(table: ConnectionTable, time: any TimeSource, tick: Duration) {
        self.table = table
        self.time = time
        self.tick = tick
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(epoll >= 0, "no epoll descriptor could be made")
    }

    deinit {
        for descriptor in lingering.withLock({ $0.keys }) { close(descriptor) }
        close(epoll)
    }

    /// Runs until `stop`.
    func run(onLate: (Refusal.Reason) -> Void) {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var nextScan = time.uptime + tick
        while !isStopped.load(ordering: .relaxed) {
            let wait = max(0, (nextScan - time.uptime).wholeMilliseconds + 1)
            let count = epoll_wait(epoll, &events, Int32(events.count), Int32(wait))
            for event in events.prefix(Int(max(0, count))) { handle(event.data.u64) }
            let now = time.uptime
            guard now >= nextScan else { continue }
            nextScan = now + tick
            for connection in table.all {
                if let reason = connection.expire(at: now) { onLate(reason) }
            }
            endLingering(at: now)
        }
    }

    /// Takes effect within a tick.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    /// The connection hears when its client closes its side, and `finish` must be called before its socket is closed.
    func start(_ connection: Connection) {
        connection.withDescriptor { add($0, EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue, connection.id) }
    }

    func finish(_ connection: Connection) {
        connection.withDescriptor { _ = epoll_ctl(epoll, EPOLL_CTL_DEL, $0, nil) }
    }

    /// Takes over the descriptor.
    func linger(_ descriptor: Int32) {
        let isTaken = lingering.withLock { lingering in
            guard lingering.count < ConnectionWatch.lingeringMaximum else { return false }
            lingering[descriptor] = Lingering(deadline: time.uptime + ConnectionWatch.lingeringTime)
            return true
        }
        guard isTaken else {
            close(descriptor)
            return
        }
        add(descriptor, EPOLLIN.rawValue, UInt64(descriptor) | ConnectionWatch.lingeringMark)
    }

    private func add(_ descriptor: Int32, _ events: UInt32, _ data: UInt64) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = data
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    private func handle(_ data: UInt64) {
        if data & ConnectionWatch.lingeringMark != 0 {
            drain(Int32(truncatingIfNeeded: data & ~ConnectionWatch.lingeringMark))
        } else {
            table[data]?.clientFinished()
        }
    }

    /// One read a turn, so that a fast sender does not hold up the deadlines of others.
    private func drain(_ descriptor: Int32) {
        let count = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        }
        let isOver = lingering.withLock { lingering in
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return false }
            lingering[descriptor]?.bytesLeft -= count
            guard count <= 0 || lingering[descriptor]?.bytesLeft ?? 0 <= 0 else { return false }
            return lingering.removeValue(forKey: descriptor) != nil
        }
        if isOver { close(descriptor) }
    }

    private func endLingering(at now: Duration) {
        let over = lingering.withLock { lingering in
            let over = lingering.filter { $0.value.deadline <= now }.keys
            for descriptor in over { lingering[descriptor] = nil }
            return over
        }
        for descriptor in over { close(descriptor) }
    }
}
