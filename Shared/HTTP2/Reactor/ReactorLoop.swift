import ServiceKit

/// What a reactor's thread gives turns to. Lives on that thread.
protocol ReactorMember: AnyObject {
    /// Does what there is to do: the set tells which sockets became ready.
    func turn(_ loop: ReactorLoop, now: Duration)

    /// Adds the sockets to wait for, and says when a turn is needed though none becomes ready; `now` for at once.
    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration?
}

/// The thread's side of a reactor.
final class ReactorLoop {
    private(set) var set = PollSet()
    /// For any member to read into during its turn.
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
