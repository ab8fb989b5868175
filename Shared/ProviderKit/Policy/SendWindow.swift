import ServiceKit

/// Decides how many pushes of one app may go to a provider now. Pure: times are uptimes passed in.
///
/// The rate limits the pushes in flight. A provider that stops answering is silent, which is an outage: the remaining
/// pushes are parked instead of waiting for it. With nothing in flight, one push may probe whether it is back.
package struct SendWindow: Sendable {
    package struct Settings: Sendable, Equatable {
        /// Pushes in flight for one app.
        package var ceiling: Int
        /// A provider that owes answers and has not answered for this long is silent.
        package var patience: Duration

        package init(ceiling: Int = 1_000, patience: Duration = .seconds(3)) {
            self.ceiling = ceiling
            self.patience = patience
        }
    }

    package enum Answer: Equatable, Sendable {
        case go(Int)
        /// Until answers come back.
        case wait
        case pause(Duration)
        /// The provider owes answers and does not answer.
        case silent
    }

    private let settings: Settings
    private var rate: SendRate
    /// Admitted and not settled; the sent ones are owed an answer, the others are still being claimed.
    private var inFlight = 0
    private var owed = 0
    /// Time of the provider's last answer, or since when it owes one.
    private var lastSign = Duration.zero
    private var isSilent = false
    private var recent = RecentAnswers(within: .seconds(1))
    /// End of the pause that single answers asked for while most of the others asked for it too.
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
            // The probing push has the same time limit.
            return owesTooLong(at: now) ? .silent : .wait
        }
        // Small parts would each be claimed and settled separately.
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

    /// Notes that admitted pushes are on their way to the provider.
    package mutating func begin(_ count: Int, at now: Duration) {
        if owed == 0 { lastSign = now }
        owed += count
    }

    /// Returns admitted pushes that were not sent.
    package mutating func giveBack(_ count: Int) {
        inFlight -= count
        precondition(inFlight >= 0, "more pushes were given back than admitted")
    }

    /// Notes the outcomes of sent pushes; `pause` is the wait that the provider asks of the whole app. A `Retry-After`
    /// of an error that most of the last second's answers do not share concerns its device only.
    package mutating func settle(_ outcomes: [PushOutcome], pause: Duration, at now: Duration) {
        // Before they leave the window: perhaps nothing has called `ask` since they were sent.
        noticeSilence(at: now)
        giveBack(outcomes.count)
        owed -= outcomes.count
        precondition(owed >= 0, "more pushes were settled than sent")
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
        // Throttling of a few devices says nothing about the app.
        if pause > .zero || tally.throttledApp || tally.overloaded * 10 > tally.answered {
            rate.noteOverload(RetryAdvice(floor: pause), at: now)
        }
    }
}

/// Totals of the outcomes of a batch.
private struct SendTally {
    var answered = 0
    var delivered = 0
    var overloaded = 0
    var throttledApp = false
    /// Errors of the provider itself, and the longest wait that one of them asked for.
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
            case .invalidDevice, .suspectDevice, .refreshAuthorization, .misconfigured, .payloadRejected: break
            }
        }
    }
}
