import ServiceKit

/// The lifecycle of one of a pool's connections, decided without touching a socket: events go in, actions come out. A
/// replaced connection still answers its open requests; here its place is already free by then.
struct ConnectionMachine {
    enum State: Equatable {
        case idle
        /// From the address lookup to the peer's first SETTINGS.
        case opening
        case ready
        case backingOff
        case closed
    }

    enum Event: Equatable {
        /// Requests exist that no open connection can take.
        case wanted
        /// The peer's first SETTINGS have arrived.
        case greeted
        /// A request was answered, so reconnecting to the peer immediately is worthwhile.
        case answered
        /// The peer accepts no more requests here, or we stop sending any.
        case retired
        case failed(HTTP2Error)
        /// The time in `timeout` has come.
        case timedOut
        case closed
    }

    enum Action: Equatable {
        case none
        case open
        case serve
        /// Send it no more requests; it may answer its open ones.
        case retire
        /// Close the socket; requests written to it end as unknown.
        case drop(HTTP2Error)
    }

    private(set) var state = State.idle
    /// When to report `timedOut`, in uptime.
    private(set) var timeout: Duration?
    /// Consecutive attempts without any response.
    private(set) var failures = 0
    /// True once a request was answered on the current connection.
    private var hasAnswered = false
    private let configuration: HTTP2Configuration
    private let random: any RandomSource

    init(_ configuration: HTTP2Configuration, random: any RandomSource) {
        self.configuration = configuration
        self.random = random
    }

    mutating func handle(_ event: Event, now: Duration) -> Action {
        switch (state, event) {
        case (.closed, _): return .none
        case (.opening, .closed), (.ready, .closed):
            move(to: .closed)
            return .drop(HTTP2Error(.closed, message: "the pool was closed"))
        case (_, .closed):
            move(to: .closed)
            return .none
        case (.idle, .wanted):
            move(to: .opening, until: now + configuration.openLimit)
            return .open
        case (.opening, .greeted):
            move(to: .ready, until: now + lifetime())
            return .serve
        case (.opening, .failed(let error)), (.ready, .failed(let error)):
            backOff(now: now)
            return .drop(error)
        case (.opening, .timedOut):
            backOff(now: now)
            let limit = DurationText.print(configuration.openLimit)
            return .drop(HTTP2Error(.unreachable, message: "the peer was not ready within \(limit)"))
        case (.ready, .answered):
            failures = 0
            hasAnswered = true
            return .none
        case (.ready, .retired), (.ready, .timedOut):
            // A peer that ends every connection before it answers anything would be reconnected in a tight loop.
            if hasAnswered || event == .timedOut { move(to: .idle) } else { backOff(now: now) }
            return .retire
        case (.backingOff, .timedOut):
            move(to: .idle)
            return .none
        default: return .none
        }
    }

    private mutating func move(to next: State, until moment: Duration? = nil) {
        state = next
        timeout = moment
        if next == .ready { hasAnswered = false }
    }

    private mutating func backOff(now: Duration) {
        failures += 1
        let pause = configuration.reconnectBackoff.delay(afterAttempt: failures, random: random)
        move(to: .backingOff, until: now + pause)
    }

    /// Randomized, so that connections opened together are not replaced together.
    private func lifetime() -> Duration {
        random.duration(in: (configuration.ageMaximum / 2)...configuration.ageMaximum)
    }
}
