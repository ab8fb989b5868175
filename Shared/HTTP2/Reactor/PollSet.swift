import Glibc
import ServiceKit

/// The sockets a thread waits for. A pool or a server of ours has a handful of them, for which poll is one call, while
/// epoll would need another one for each change of what is waited for; it pays from hundreds of idle sockets on.
struct PollSet {
    private var entries: [pollfd] = []

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
    }

    /// Returns the place under which to ask `isReady` after the wait.
    mutating func add(_ descriptor: Int32, reads: Bool, writes: Bool) -> Int {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        return entries.count - 1
    }

    func isReady(_ place: Int?) -> Bool {
        guard let place, place < entries.count else { return false }
        return entries[place].revents != 0
    }

    /// Waits until one is ready or the time is over; nil waits for as long as it takes.
    mutating func wait(_ duration: Duration?) {
        // Rounded up, so that the thread does not spin through the last millisecond.
        let limit = duration.map { $0 <= .zero ? 0 : Int32(clamping: $0.wholeMilliseconds + 1) } ?? -1
        if poll(&entries, nfds_t(entries.count), limit) < 0 {
            for index in entries.indices { entries[index].revents = 0 }
        }
    }
}
