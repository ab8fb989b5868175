import CEpoll
import Glibc

/// An epoll descriptor. Client sockets are registered once for all events, edge-triggered: an event reports a change,
/// and the connection remembers which operations are possible.
struct Poller: ~Copyable {
    struct Event {
        let id: UInt64
        let isReadable: Bool
        let isWritable: Bool
        /// The client has closed its side.
        let isFinished: Bool
        let isBroken: Bool
    }

    private let descriptor: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    init() {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "cannot create an epoll descriptor: too many open files")
    }

    deinit {
        close(descriptor)
    }

    /// The kernel removes the socket when it is closed.
    func watch(_ socket: Int32, id: UInt64) -> Bool {
        let wanted = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        return add(socket, events: wanted, id: id)
    }

    /// Level-triggered. If several loops share a listener, one of them is woken.
    func watchReadable(_ socket: Int32, id: UInt64, isShared: Bool = false) -> Bool {
        add(socket, events: EPOLLIN.rawValue | (isShared ? EPOLLEXCLUSIVE.rawValue : 0), id: id)
    }

    func forget(_ socket: Int32) {
        epoll_ctl(descriptor, EPOLL_CTL_DEL, socket, nil)
    }

    /// Waits for at most this many milliseconds; without limit if negative.
    mutating func wait(milliseconds: Int32) -> [Event] {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        return events.prefix(Int(max(0, count))).map { event in
            let flags = event.events
            return Event(
                id: event.data.u64, isReadable: flags & EPOLLIN.rawValue != 0,
                isWritable: flags & EPOLLOUT.rawValue != 0, isFinished: flags & EPOLLRDHUP.rawValue != 0,
                isBroken: flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0)
        }
    }

    private func add(_ socket: Int32, events: UInt32, id: UInt64) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.u64 = id
        return epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0
    }
}
