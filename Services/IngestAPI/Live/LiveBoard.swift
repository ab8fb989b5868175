import Apps
import Bus
import HTTPServer
import PushModel
import ServiceKit
import Synchronization

/// The open live streams. What they follow is read once a second, whatever their number, and sent only if it has
/// changed.
///
/// A message is the whole state, so a slow client loses older messages only. Writing to a stream stores the bytes for
/// the server's thread; no client holds up another one.
final class LiveBoard: Service {
    /// Each may keep a message in memory that its client does not read.
    static let streamsMaximum = 4_096
    static let streamsPerAppMaximum = 2_048
    static let tick = Duration.seconds(1)
    /// With more subjects, each is read less often.
    static let readsPerTick = 64
    /// More than the largest message: the newest tasks of an app.
    static let bufferBytesMaximum = 128 << 10
    /// How long a client may leave a message unread.
    static let behindMaximum = Duration.seconds(15)
    private static let ticksBetweenKeepAlives = 15
    private static let ticksBetweenChecks = 10

    fileprivate struct Viewer {
        let right: LiveRight
        let stream: HTTPStream
        let subjects: [LiveSubject]
        /// Subjects whose last message did not fit into the buffer.
        var missed: Set<LiveSubject> = []
        /// Uptime since which something is missed.
        var behindSince: Duration?
        var quietTicks = 0
    }

    fileprivate struct Watched {
        var viewers: Set<Int> = []
        /// Nil until it is read.
        var json: String?
        var message: [UInt8] = []
        var lastRead = Duration.zero
        var isBeingRead = false
    }

    fileprivate struct State {
        var viewers: [Int: Viewer] = [:]
        var countsByApp: [AppID: Int] = [:]
        var watched: [LiveSubject: Watched] = [:]
        var numbers = 0
        var ticks = 0
        var checkedApps: AppSnapshot?
        var isDraining = false
    }

    let name = "live streams"
    let apps: @Sendable () -> AppSnapshot
    let time: any TimeSource
    private let reader: LiveReader
    private let log: Log
    private let open: Gauge
    private let state = Mutex(State())
    private let stopRequested = OneTimeEvent()

    init(_ reader: LiveReader, apps: @escaping @Sendable () -> AppSnapshot, environment: WorkerEnvironment) {
        self.reader = reader
        self.apps = apps
        time = environment.time
        log = environment.log
        open = environment.metrics.gauge(.ingestLiveStreams)
    }

    func run() async {
        while await !stopRequested.wait(atMost: LiveBoard.tick, time: time) { await refresh() }
        drain()
    }

    /// Reads what is followed, and sends what has changed.
    func refresh() async {
        endInvalid()
        for subject in takeNext() { await read(subject) }
        tendQuiet()
    }

    func stop() {
        stopRequested.happen()
    }
}

/// Opening and ending streams.
extension LiveBoard {
    /// The app's state, and one of its tasks if the caller follows one.
    func open(_ right: LiveRight, task: TaskID?) throws(TaskError) -> HTTPStream {
        let stream = HTTPStream(bytesMaximum: LiveBoard.bufferBytesMaximum)
        let subjects = [.app(right.app)] + (task.map { [LiveSubject.task($0, of: right.app)] } ?? [])
        let entered = try state.withLock { state throws(TaskError) in
            try state.enter(Viewer(right: right, stream: stream, subjects: subjects))
        }
        open.add(1)
        stream.onLeave { [weak self] in self?.remove(entered.number) }
        if !entered.unread.isEmpty {
            Task { for subject in entered.unread { await read(subject) } }
        }
        return stream
    }

    private func remove(_ number: Int) {
        if state.withLock({ $0.remove(number) }) != nil { open.add(-1) }
    }

    private func end(_ number: Int, because end: LiveText.End, in state: inout State) {
        guard let viewer = state.remove(number) else { return }
        open.add(-1)
        _ = viewer.stream.tryWrite(LiveText.end(end))
        viewer.stream.finish()
    }

    private func drain() {
        state.withLock { state in
            state.isDraining = true
            for number in Array(state.viewers.keys) { end(number, because: .draining, in: &state) }
        }
    }

    /// All at once when apps have changed; otherwise now and then, as rights also end with time.
    private func endInvalid() {
        let (apps, now) = (apps(), time.now)
        state.withLock { state in
            state.ticks += 1
            guard state.checkedApps !== apps || state.ticks % LiveBoard.ticksBetweenChecks == 0 else { return }
            state.checkedApps = apps
            for (number, viewer) in state.viewers where !viewer.right.isValid(in: apps, at: now) {
                end(number, because: .revoked, in: &state)
            }
        }
    }
}

/// Reading and sending.
extension LiveBoard {
    /// Those that were read longest ago.
    private func takeNext() -> [LiveSubject] {
        state.withLock { state in
            guard state.watched.count > LiveBoard.readsPerTick else { return Array(state.watched.keys) }
            return state.watched.sorted { $0.value.lastRead < $1.value.lastRead }.prefix(LiveBoard.readsPerTick)
                .map(\.key)
        }
    }

    private func read(_ subject: LiveSubject) async {
        let isMine = state.withLock { state in
            guard let watched = state.watched[subject], !watched.isBeingRead else { return false }
            state.watched[subject]?.isBeingRead = true
            return true
        }
        guard isMine else { return }
        var json: String?
        do {
            json = try await reader.read(subject)
        } catch {
            log.debug("live state not read", [.error: "\(error)"])
        }
        show(json, of: subject)
    }

    /// Nil if it could not be read: then the streams show what was read last.
    private func show(_ json: String?, of subject: LiveSubject) {
        let now = time.uptime
        state.withLock { state in
            guard var watched = state.watched[subject] else { return }
            watched.isBeingRead = false
            watched.lastRead = now
            let isNew = json != nil && json != watched.json
            if let json, isNew {
                watched.json = json
                watched.message = LiveText.message(subject, json: json)
            }
            state.watched[subject] = watched
            guard watched.json != nil else { return }
            for number in watched.viewers where isNew || state.viewers[number]?.missed.contains(subject) == true {
                let isLate = state.send(watched.message, about: subject, to: number, at: now)
                if isLate { end(number, because: .slow, in: &state) }
            }
        }
    }

    /// Keeps proxies from ending streams in which nothing happens.
    private func tendQuiet() {
        state.withLock { state in
            for number in Array(state.viewers.keys) {
                state.viewers[number]?.quietTicks += 1
                guard let viewer = state.viewers[number], viewer.quietTicks >= LiveBoard.ticksBetweenKeepAlives else {
                    continue
                }
                _ = viewer.stream.tryWrite(LiveText.keepAlive)
                state.viewers[number]?.quietTicks = 0
            }
        }
    }
}

extension LiveBoard.State {
    /// Returns the viewer's number, and the subjects that are to be read for it.
    fileprivate mutating func enter(
        _ viewer: LiveBoard.Viewer
    ) throws(TaskError) -> (number: Int, unread: [LiveSubject]) {
        let app = viewer.right.app
        guard !isDraining else { throw .unavailable("The service stops.") }
        guard viewers.count < LiveBoard.streamsMaximum,
            countsByApp[app, default: 0] < LiveBoard.streamsPerAppMaximum
        else { throw .unavailable("Too many live streams are open.") }
        numbers += 1
        _ = viewer.stream.tryWrite(LiveText.opening)
        for subject in viewer.subjects {
            watched[subject, default: LiveBoard.Watched()].viewers.insert(numbers)
            if let known = watched[subject], known.json != nil { _ = viewer.stream.tryWrite(known.message) }
        }
        viewers[numbers] = viewer
        countsByApp[app, default: 0] += 1
        return (numbers, viewer.subjects.filter { watched[$0]?.json == nil })
    }

    fileprivate mutating func remove(_ number: Int) -> LiveBoard.Viewer? {
        guard let viewer = viewers.removeValue(forKey: number) else { return nil }
        countsByApp[viewer.right.app, default: 0] -= 1
        if countsByApp[viewer.right.app] == 0 { countsByApp[viewer.right.app] = nil }
        for subject in viewer.subjects {
            watched[subject]?.viewers.remove(number)
            if watched[subject]?.viewers.isEmpty == true { watched[subject] = nil }
        }
        return viewer
    }

    /// True if the client has missed messages for too long.
    fileprivate mutating func send(
        _ message: [UInt8], about subject: LiveSubject, to number: Int, at now: Duration
    ) -> Bool {
        guard var viewer = viewers[number] else { return false }
        defer { viewers[number] = viewer }
        switch viewer.stream.tryWrite(message) {
        case .written:
            viewer.missed.remove(subject)
            if viewer.missed.isEmpty { viewer.behindSince = nil }
            viewer.quietTicks = 0
        case .readerLeft: break
        case .full:
            viewer.missed.insert(subject)
            let since = viewer.behindSince ?? now
            viewer.behindSince = since
            return now - since > LiveBoard.behindMaximum
        }
        return false
    }
}
