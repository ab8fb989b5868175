import ServiceKit

/// The life of one of a pool's connections, decided without touching a socket: what happened goes in, what to do comes
/// out. A connection that is replaced goes on to answer what it has; here its place is free again by then.
struct ConnectionMachine {
    enum State: Equatable {
        case idle
        /// From asking for the address to the peer's first SETTINGS.
        case opening
        case ready
        case backingOff
        case closed
    }

    enum Event: Equatable {
        /// There are requests that no open connection can take.
        case wanted
        /// The peer's first SETTINGS have come.
        case greeted
        /// A request has been answered, so the peer is worth coming back to at once.
        case answered
        /// The peer wants no more requests here, or we want to send it none.
        case retired
        case failed(HTTP2Error)
        /// The moment in `timeout` has come.
        case timedOut
        case closed
    }

    enum Action: Equatable {
        case none
        case open
        case serve
        /// Give it no more requests; it may answer those it has.
        case retire
        /// Close the socket; what was written to it ends as unknown.
        case drop(HTTP2Error)
    }

    private(set) var state = State.idle
    /// When to report `timedOut`, in uptime.
    private(set) var timeout: Duration?
    /// Attempts in a row that led to no answer.
    private(set) var failures = 0
    /// Since it became ready.
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
            // A peer that says goodbye to every connection before it answers anything would be called without a pause.
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

    /// Not the same for all connections, so that those opened together are not replaced together.
    private func lifetime() -> Duration {
        random.duration(in: (configuration.ageMaximum / 2)...configuration.ageMaximum)
    }
}
