import ServiceKit

/// Gets turns on a reactor's thread. Confined to that thread.
protocol ReactorMember: AnyObject {
    /// Does all pending work; the set tells which sockets became ready.
    func turn(_ loop: ReactorLoop, now: Duration)

    /// Adds the sockets to wait for; returns when a turn is needed even if none becomes ready, `now` for immediately.
    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration?
}

/// The thread's side of a reactor.
final class ReactorLoop {
    private(set) var set = PollSet()
    /// Read buffer shared by all members during their turns.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private let reactor: HTTP2Reactor
    private let time: any TimeSource
    private var members: [any ReactorMember] = []

    init(_ reactor: HTTP2Reactor, time: any TimeSource) {
        self.reactor = reactor
        self.time = time
    }

    deinit {
        buffer.deallocate()
    }

    func add(_ member: any ReactorMember) {
        members.append(member)
    }

    func remove(_ member: any ReactorMember) {
        members.removeAll { $0 === member }
    }

    func run() {
        while true {
            let (jobs, isStopped) = reactor.takeJobs()
            if isStopped { return }
            for job in jobs { job(self) }
            let now = time.uptime
            for member in members { member.turn(self, now: now) }
            wait()
        }
    }

    private func wait() {
        set.removeAll()
        let wakePlace = set.add(reactor.wakePipe.descriptor, reads: true, writes: false)
        let now = time.uptime
        var due: Duration?
        for member in members {
            guard let next = member.prepareToWait(&set, now: now) else { continue }
            due = min(due ?? next, next)
        }
        set.wait(due.map { $0 - now })
        if set.isReady(wakePlace) { reactor.wakePipe.drain() }
    }
}
