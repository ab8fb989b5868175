import Apps
import Bus
import HTTPServer
import PushModel
import ServiceKit
import Synchronization

/// The history and the open streams, under one lock: what a stream is sent is in the order of the history, and a stream
/// that has caught up misses nothing and gets nothing twice.
///
/// Writing to a stream only stores the bytes for the server's thread, so that no client holds up another one.
final class EventHub: Sendable {
    struct Limits: Sendable {
        var listenersMaximum: Int
        var listenersPerAppMaximum: Int
        var historyBytesMaximum: Int
    }

    /// Of one stream: the events that its client has not read yet.
    static let bufferBytesMaximum = 64 << 10
    /// Each stream gets a keep-alive once in so many ticks.
    static let ticksBetweenKeepAlives = 10
    /// How long clients wait before they open a lost stream again: spread, since all of them lose it together when a
    /// process ends.
    static let retries = Duration.seconds(1) ... .seconds(5)
    /// How long a client whose buffer is full may take to catch up: a burst fills the buffers of good readers too.
    static let behindMaximum = Duration.seconds(5)
    /// A reader that found nothing to read so often has reached the end of the log.
    private static let emptyReadsAtEnd = 2

    /// A listener that came with a position which this instance has not reached.
    fileprivate struct Ahead {
        let listener: Listener
        let position: StreamPosition
        var emptyReads = 0
    }

    fileprivate struct State {
        var history: EventHistory
        /// Where the log ended when reading it began; streams are opened only from there on.
        var target: StreamPosition
        /// All streams, those that are catching up included.
        var listeners: [Int: Listener] = [:]
        var countsByApp: [AppID: Int] = [:]
        /// The streams that are sent events as they are read.
        var live = ListenerIndex()
        var liveNumbers: Set<Int> = []
        var ahead: [Int: Ahead] = [:]
        /// Streams that were live and catch up, because their buffer was full, since this uptime.
        var behind: [Int: Duration] = [:]
        var numbers = 0
        var ticks = 0
        /// What the listeners of each turn of keep-alives were told last.
        var toldPositions = [StreamPosition?](repeating: nil, count: EventHub.ticksBetweenKeepAlives)
        var checkedApps: AppSnapshot?
        var isDraining = false
        var isCurrent: Bool { history.position.includes(target) }
    }

    private let limits: Limits
    private let meters: StreamMeters
    private let time: any TimeSource
    private let random: any RandomSource
    private let state: Mutex<State>
    /// The log was read to its end for the first time.
    let becameCurrent = OneTimeEvent()

    init(limits: Limits, metrics: Metrics, time: any TimeSource, random: any RandomSource) {
        self.limits = limits
        meters = StreamMeters(metrics)
        self.time = time
        self.random = random
        // Not current before the log is known.
        state = Mutex(
            State(
                history: EventHistory([:], bytesMaximum: limits.historyBytesMaximum), target: StreamPosition([.max])))
    }

    var isCurrent: Bool { state.withLock { $0.isCurrent } }
    var listenerCount: Int { state.withLock { $0.listeners.count } }
    /// Listeners whose position this instance has not reached.
    var aheadCount: Int { state.withLock { $0.ahead.count } }
}

/// Opening and ending streams.
extension EventHub {
    enum Refusal: Error, Equatable {
        case draining
        /// The log is being read; what is old would be shown as new.
        case starting
        case full
        case appFull
    }

    /// A stream from now on, or from where the client was. `resuming` is nil for a client that comes for the first
    /// time, and a nil position is one that cannot be read.
    func open(
        _ right: ListeningRight, names: [TopicName], resuming: StreamPosition??
    ) throws(Refusal) -> HTTPStream {
        let stream = HTTPStream(bytesMaximum: EventHub.bufferBytesMaximum)
        let retry = random.duration(in: EventHub.retries)
        let (listener, replay) = try state.withLock { state throws(Refusal) in
            let listener = try enter(right, names: names, stream: stream, in: &state)
            let replay = begin(listener, resuming: resuming, retry: retry, in: &state)
            return (listener, replay)
        }
        meters.opened.increment()
        stream.onLeave { [weak self] in self?.remove(listener, because: .left) }
        if let replay {
            meters.resumed.increment()
            Task { await catchUp(listener, with: replay) }
        }
        return stream
    }

    private func enter(
        _ right: ListeningRight, names: [TopicName], stream: HTTPStream, in state: inout State
    ) throws(Refusal) -> Listener {
        guard !state.isDraining else { throw .draining }
        guard state.isCurrent else { throw .starting }
        guard state.listeners.count < limits.listenersMaximum else { throw .full }
        guard state.countsByApp[right.app, default: 0] < limits.listenersPerAppMaximum else { throw .appFull }
        state.numbers += 1
        let listener = Listener(number: state.numbers, right: right, names: names, stream: stream)
        state.listeners[listener.number] = listener
        state.countsByApp[right.app, default: 0] += 1
        meters.open.add(1)
        return listener
    }

    /// Returns what a client that resumes is to be sent before it is live.
    private func begin(
        _ listener: Listener, resuming: StreamPosition??, retry: Duration, in state: inout State
    ) -> Replay? {
        let id = state.history.position.text
        switch resuming {
        case .some(.some(let position)):
            _ = listener.stream.tryWrite(StreamText.opening(id: nil, retry: retry))
            let replay = Replay(app: listener.app, names: listener.names, from: position, history: state.history)
            if replay.isGap { meters.gaps.increment() }
            return replay
        case .some(.none):
            _ = listener.stream.tryWrite(StreamText.opening(id: nil, retry: retry) + StreamText.gap(id: id))
            meters.gaps.increment()
        case .none: _ = listener.stream.tryWrite(StreamText.opening(id: id, retry: retry))
        }
        state.goLive(listener)
        return nil
    }

    /// Ends when the client has everything that was read, or has left; the server bounds how long a write waits.
    private func catchUp(_ listener: Listener, with replay: Replay) async {
        var replay = replay
        while let bytes = nextReplayed(to: listener, with: &replay) {
            guard (try? await listener.stream.write(bytes)) != nil else { return }
        }
    }

    /// Nil when the listener is live, or gone.
    private func nextReplayed(to listener: Listener, with replay: inout Replay) -> [UInt8]? {
        state.withLock { state in
            guard state.listeners[listener.number] != nil else { return nil }
            switch replay.next(state.history) {
            case .send(let bytes): return bytes
            case .done(let ahead):
                state.behind[listener.number] = nil
                if let ahead { state.ahead[listener.number] = Ahead(listener: listener, position: ahead) }
                state.goLive(listener)
                return nil
            }
        }
    }

    private func remove(_ listener: Listener, because end: StreamMeters.End) {
        let isRemoved = state.withLock { $0.remove(listener) }
        if isRemoved { noteEnd(end) }
    }

    /// Ends the stream after what is in its buffer.
    private func end(_ listener: Listener, because end: StreamMeters.End, in state: inout State) {
        guard state.remove(listener) else { return }
        listener.stream.finish()
        noteEnd(end)
    }

    private func noteEnd(_ end: StreamMeters.End) {
        meters.open.add(-1)
        meters.ended(end)?.increment()
    }
}

/// What the reader of the log tells.
extension EventHub {
    /// The log is read anew: clients open their streams again and continue where the new log holds it.
    func restart(_ held: [Int32: Range<Int64>]) {
        state.withLock { state in
            for listener in Array(state.listeners.values) { end(listener, because: .replaced, in: &state) }
            state.history = EventHistory(held, bytesMaximum: limits.historyBytesMaximum)
            state.target = StreamPosition()
            for (partition, offsets) in held { state.target[partition] = offsets.upperBound }
        }
        noteIfCurrent()
    }

    func read(_ messages: [IncomingMessage]) {
        state.withLock { state in
            for message in messages { read(message, in: &state) }
            meters.historyBytes.set(state.history.bytes)
        }
        noteIfCurrent()
    }

    private func noteIfCurrent() {
        if isCurrent { becameCurrent.happen() }
    }

    /// The reader has found nothing to read. A client that is ahead of the end of the log has the position of another
    /// log.
    func readNothing() {
        state.withLock { state in
            for (number, ahead) in state.ahead {
                state.ahead[number]?.emptyReads += 1
                guard ahead.emptyReads + 1 >= EventHub.emptyReadsAtEnd else { continue }
                state.ahead[number] = nil
                meters.gaps.increment()
                let position = state.history.position
                send(StreamText.gap(id: position.text), to: ahead.listener, thatHas: position, in: &state)
            }
        }
    }

    private func read(_ message: IncomingMessage, in state: inout State) {
        meters.eventsRead.increment()
        switch state.history.add(message) {
        case .repeated: meters.eventsRepeated.increment()
        case .unreadable: meters.eventsUnreadable.increment()
        case .event(let entry): show(entry, in: &state)
        }
    }

    private func show(_ entry: EventHistory.Entry, in state: inout State) {
        let id = state.history.position.text
        let isShared = entry.event.topics.count > 1
        var shown: Set<Int> = []
        for topic in entry.event.topics {
            guard let listeners = state.live.listeners(of: topic, in: entry.event.app) else { continue }
            let bytes = entry.event.bytes(for: topic, id: id)
            for listener in Array(listeners) where !isShared || shown.insert(listener.number).inserted {
                show(entry, topic: topic, bytes: bytes, to: listener, in: &state)
            }
        }
        meters.delay.record(max(.zero, time.now - entry.event.time))
    }

    private func show(
        _ entry: EventHistory.Entry, topic: TopicName, bytes: [UInt8], to listener: Listener, in state: inout State
    ) {
        var had = state.history.position
        had[entry.partition] = entry.offset
        guard let ahead = state.ahead[listener.number] else {
            return send(bytes, to: listener, thatHas: had, in: &state)
        }
        had = had.union(ahead.position)
        if state.history.position.includes(ahead.position) { state.ahead[listener.number] = nil }
        guard entry.offset >= ahead.position[entry.partition] else { return }
        let id = state.history.position.union(ahead.position).text
        send(entry.event.bytes(for: topic, id: id), to: listener, thatHas: had, in: &state)
    }

    /// `position` is what the client has before it is sent this event.
    private func send(
        _ bytes: [UInt8], to listener: Listener, thatHas position: StreamPosition, in state: inout State
    ) {
        switch listener.stream.tryWrite(bytes) {
        case .written: meters.eventsSent.increment()
        case .readerLeft: break
        case .full:
            state.leaveLive(listener)
            state.behind[listener.number] = time.uptime
            let replay = Replay(app: listener.app, names: listener.names, from: position, history: state.history)
            Task { await catchUp(listener, with: replay) }
        }
    }
}

/// What happens with time.
extension EventHub {
    /// Call once a second.
    func tick(_ apps: AppSnapshot) {
        let now = time.now
        state.withLock { state in
            state.ticks += 1
            let turn = state.ticks % EventHub.ticksBetweenKeepAlives
            let checksAll = state.checkedApps !== apps
            state.checkedApps = apps
            let bytes = keepAlive(turn, in: &state)
            endLate(in: &state)
            for listener in Array(state.listeners.values) {
                let isItsTurn = listener.number % EventHub.ticksBetweenKeepAlives == turn
                guard checksAll || isItsTurn else { continue }
                guard listener.right.isValid(in: apps, at: now) else {
                    end(listener, because: .revoked, in: &state)
                    continue
                }
                guard isItsTurn, state.liveNumbers.contains(listener.number) else { continue }
                let isAhead = state.ahead[listener.number] != nil
                _ = listener.stream.tryWrite(isAhead ? StreamText.keepAlive : bytes)
            }
        }
    }

    /// Those that did not catch up in time: they read more slowly than their events come.
    private func endLate(in state: inout State) {
        let latest = time.uptime - EventHub.behindMaximum
        for (number, since) in state.behind where since < latest {
            if let listener = state.listeners[number] { end(listener, because: .slow, in: &state) }
        }
    }

    private func keepAlive(_ turn: Int, in state: inout State) -> [UInt8] {
        let position = state.history.position
        guard state.toldPositions[turn] != position else { return StreamText.keepAlive }
        state.toldPositions[turn] = position
        return StreamText.keepAlive(id: position.text)
    }

    /// Ends all streams and opens no more. Clients open theirs again elsewhere, spread over `limit`.
    func drain(spreadingOver limit: Duration) {
        state.withLock { state in
            state.isDraining = true
            for listener in Array(state.listeners.values) {
                let pause = random.duration(in: .milliseconds(500)...max(limit, .milliseconds(500)))
                _ = listener.stream.tryWrite(StreamText.retry(pause))
                end(listener, because: .drained, in: &state)
            }
        }
    }
}

extension EventHub.State {
    fileprivate mutating func goLive(_ listener: Listener) {
        live.add(listener)
        liveNumbers.insert(listener.number)
    }

    fileprivate mutating func leaveLive(_ listener: Listener) {
        if liveNumbers.remove(listener.number) != nil { live.remove(listener) }
        ahead[listener.number] = nil
    }

    /// False if it was removed before.
    fileprivate mutating func remove(_ listener: Listener) -> Bool {
        guard listeners.removeValue(forKey: listener.number) != nil else { return false }
        leaveLive(listener)
        behind[listener.number] = nil
        let count = (countsByApp[listener.app] ?? 1) - 1
        countsByApp[listener.app] = count == 0 ? nil : count
        return true
    }
}
