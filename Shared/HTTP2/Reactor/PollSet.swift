import Glibc
import ServiceKit

/// The sockets a thread waits for. A pool or server has a handful of them, for which poll is one call, while epoll
/// needs one more call per change of interest and pays off only with hundreds of idle sockets.
struct PollSet {
    private var entries: [pollfd] = []

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
    }

    /// Returns the index to pass to `isReady` after the wait.
    mutating func add(_ descriptor: Int32, reads: Bool, writes: Bool) -> Int {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        return entries.count - 1
    }

    func isReady(_ place: Int?) -> Bool {
        guard let place, place < entries.count else { return false }
        return entries[place].revents != 0
    }

    /// Waits until one is ready or the time is over; without limit if nil.
    mutating func wait(_ duration: Duration?) {
        // Rounded up, so that the thread does not busy-wait during the last millisecond.
        let limit = duration.map { $0 <= .zero ? 0 : Int32(clamping: $0.wholeMilliseconds + 1) } ?? -1
        if poll(&entries, nfds_t(entries.count), limit) < 0 {
            for index in entries.indices { entries[index].revents = 0 }
        }
    }
}
