import ServiceKit

/// Decides how many pushes of one app may go to a provider now. Pure: times are uptimes handed in.
///
/// The rate says how many may be in flight. A provider from which nothing comes back any more is silent, which is an
/// outage: instead of waiting for it, what is left is put aside. With nothing in flight one push may find out whether it
/// is back.
package struct SendWindow: Sendable {
    package struct Settings: Sendable, Equatable {
        /// Pushes in flight for one app.
        package var ceiling: Int
        /// A provider that owes answers and has given none for so long is silent.
        package var patience: Duration

        package init(ceiling: Int = 1_000, patience: Duration = .seconds(3)) {
            self.ceiling = ceiling
            self.patience = patience
        }
    }

    package enum Answer: Equatable, Sendable {
        case go(Int)
        /// Until something comes back.
        case wait
        case pause(Duration)
        /// The provider owes answers and gives none.
        case silent
    }

    private let settings: Settings
    private var rate: SendRate
    /// Admitted and not settled; what of it was sent is owed an answer, the rest is still being claimed.
    private var inFlight = 0
    private var owed = 0
    /// When the provider last answered; or since when it has something to answer.
    private var lastSign = Duration.zero
    private var isSilent = false
    private var recent = RecentAnswers(within: .seconds(1))
    /// What single answers asked for while most of the others asked for it too.
    private var askedUntil = Duration.zero

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        rate = SendRate(ceiling: settings.ceiling)
    }

    package var isIdle: Bool { inFlight == 0 }
    package var inFlightMaximum: Int { rate.inFlightMaximum }
    package var isNarrowed: Bool { inFlightMaximum < settings.ceiling }

    package mutating func ask(_ count: Int, at now: Duration) -> Answer {
        let pause = max(rate.pause(at: now), askedUntil - now)
        guard pause <= .zero else { return .pause(pause) }
        noticeSilence(at: now)
        if isSilent {
            guard inFlight > 0 else { return go(1) }
            // The one that finds out whether the provider is back has its time too.
            return owesTooLong(at: now) ? .silent : .wait
        }
        // Crumbs would each be claimed and settled for themselves.
        let least = min(count, max(1, rate.inFlightMaximum / 2))
        let room = rate.inFlightMaximum - inFlight
        return room >= least ? go(min(count, room)) : .wait
    }

    private mutating func noticeSilence(at now: Duration) {
        if owesTooLong(at: now) { isSilent = true }
    }

    private func owesTooLong(at now: Duration) -> Bool {
        owed > 0 && now - lastSign >= settings.patience
    }

    private mutating func go(_ count: Int) -> Answer {
        inFlight += count
        return .go(count)
    }

    /// Admitted, and on its way to the provider from now on.
    package mutating func begin(_ count: Int, at now: Duration) {
        if owed == 0 { lastSign = now }
        owed += count
    }

    /// Admitted and not sent after all.
    package mutating func giveBack(_ count: Int) {
        inFlight -= count
        precondition(inFlight >= 0, "more came back than was admitted")
    }

    /// What was sent has its outcomes; `pause` is what the provider asks of the whole app. A `Retry-After` of an error
    /// that most of the last second's answers do not share concerns its device alone.
    package mutating func settle(_ outcomes: [PushOutcome], pause: Duration, at now: Duration) {
        // Before they are given up: perhaps nobody has asked since they went out.
        noticeSilence(at: now)
        giveBack(outcomes.count)
        owed -= outcomes.count
        precondition(owed >= 0, "more was settled than was sent")
        let tally = SendTally(outcomes)
        if tally.answered > 0 {
            lastSign = now
            isSilent = false
        }
        rate.noteDelivered(tally.delivered)
        recent.note(tally.answered, troubled: tally.troubled, at: now)
        if recent.areMostlyTroubled(at: now) {
            askedUntil = max(askedUntil, now + min(tally.asked, RetrySchedule.floorMaximum))
        } else if tally.answered > 0 {
            askedUntil = .zero
        }
        // A few devices that got too much say nothing about the app.
        if pause > .zero || tally.throttledApp || tally.overloaded * 10 > tally.answered {
            rate.noteOverload(RetryAdvice(floor: pause), at: now)
        }
    }
}

/// What a batch's outcomes say about the provider.
private struct SendTally {
    var answered = 0
    var delivered = 0
    var overloaded = 0
    var throttledApp = false
    /// Errors of the provider's own, and the longest wait that one of them asked for.
    var troubled = 0
    var asked = Duration.zero

    init(_ outcomes: [PushOutcome]) {
        for case .answered(let answer) in outcomes {
            answered += 1
            switch answer.verdict {
            case .delivered: delivered += 1
            case .throttled(let throttle, _):
                overloaded += 1
                if throttle == .app { throttledApp = true }
            case .retryLater(let advice):
                overloaded += 1
                troubled += 1
                if advice.isAsked { asked = max(asked, advice.floor) }
            case .invalidDevice, .refreshAuthorization, .misconfigured, .payloadRejected: break
            }
        }
    }
}
