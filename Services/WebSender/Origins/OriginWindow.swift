import ProviderKit
import ServiceKit

/// What is known of one server: how many pushes may be in flight to it, and whether it answers at all. Pure: times are
/// uptimes passed in.
///
/// A server that is not known gets one push; each answer allows one more. So an unknown server that does not answer
/// holds up a single push. A server that fails too often in a row is left alone: its pushes are refused at once, except
/// for one that probes it after each pause.
struct OriginWindow: Sendable {
    enum Answer: Sendable, Equatable {
        /// `isProbe` belongs to the settlement.
        case go(Int, isProbe: Bool)
        /// Until pushes in flight are answered.
        case wait
        case refused(OriginRefusal)
    }

    /// A change that operators want to know of.
    enum Change: Sendable, Equatable {
        case failing
        case recovered
    }

    private struct Breaker {
        var end: Duration
        /// Failed probes, and the failures before the first.
        var failures: Int
        var isProbing = false
    }

    private let settings: OriginSettings
    private(set) var inFlight = 0
    /// True if it has answered a push without an error.
    private(set) var hasWorked = false
    /// Limits the pushes in flight while the server throttles.
    private var rate: SendRate
    /// Limits them until the server has answered as many.
    private var trusted: Int
    private var failuresInRow = 0
    private var errorsInRow = 0
    private var breaker: Breaker?
    private var recent = RecentAnswers(within: .seconds(1))
    /// Of the last answer, or of the first push in flight without one.
    private var lastSign = Duration.zero
    private(set) var lastUse = Duration.zero

    init(_ settings: OriginSettings) {
        self.settings = settings
        rate = SendRate(ceiling: settings.inFlightMaximum)
        trusted = settings.inFlightFirst
    }

    /// True if forgetting it loses nothing but the size of its window.
    func isUnremarkable(at now: Duration) -> Bool {
        !isFailing && failuresInRow == 0 && rate.pause(at: now) == .zero
    }

    var isFailing: Bool { breaker != nil }

    var isProbing: Bool { breaker?.isProbing == true }

    private var inFlightMaximum: Int { min(trusted, rate.inFlightMaximum) }

    mutating func ask(_ count: Int, mayProbe: Bool, at now: Duration) -> Answer {
        lastUse = now
        if let breaker {
            guard now >= breaker.end else { return .refused(.failing(breaker.end - now)) }
            guard !breaker.isProbing, mayProbe else { return .refused(.failing(OriginRefusal.retry)) }
            self.breaker?.isProbing = true
            return go(1, isProbe: true, at: now)
        }
        let pause = rate.pause(at: now)
        guard pause == .zero else { return .refused(.throttled(pause)) }
        let room = inFlightMaximum - inFlight
        if room > 0 { return go(min(count, room), isProbe: false, at: now) }
        return now - lastSign < settings.patience ? .wait : .refused(.busy(OriginRefusal.retry))
    }

    private mutating func go(_ count: Int, isProbe: Bool, at now: Duration) -> Answer {
        if inFlight == 0 { lastSign = now }
        inFlight += count
        return .go(count, isProbe: isProbe)
    }

    @discardableResult
    mutating func settle(
        _ outcomes: [PushOutcome], isProbe: Bool, at now: Duration, random: any RandomSource
    ) -> Change? {
        inFlight -= outcomes.count
        precondition(inFlight >= 0, "more pushes were settled than sent")
        let tally = OriginTally(outcomes)
        note(tally, at: now)
        let wasFailing = isFailing
        if wasFailing {
            judge(tally, isProbe: isProbe, at: now, random: random)
        } else if failuresInRow >= settings.failuresMaximum || errorsInRow >= settings.errorsMaximum {
            open(afterFailures: 1, at: now, random: random)
        }
        return isFailing == wasFailing ? nil : isFailing ? .failing : .recovered
    }

    private mutating func note(_ tally: OriginTally, at now: Duration) {
        if tally.answered > 0 {
            lastSign = now
            failuresInRow = 0
            trusted = min(settings.inFlightMaximum, trusted + tally.answered)
        } else {
            failuresInRow += tally.failed
        }
        if tally.hasWorked { hasWorked = true }
        errorsInRow = tally.hasWorked ? 0 : errorsInRow + tally.errors
        rate.noteDelivered(tally.worked)
        // Of many answers, a few that ask for a wait concern their devices only.
        recent.note(tally.answered, troubled: tally.throttled, at: now)
        if tally.throttled > 0, recent.areMostlyTroubled(at: now) {
            rate.noteOverload(RetryAdvice(floor: tally.asked), at: now)
        }
    }

    /// Pushes that were in flight when the server was given up say something new only if they were answered well.
    private mutating func judge(_ tally: OriginTally, isProbe: Bool, at now: Duration, random: any RandomSource) {
        if tally.hasWorked {
            breaker = nil
        } else if isProbe, let breaker {
            guard tally.answered + tally.failed > 0 else {
                // The probe did not leave this process.
                self.breaker?.isProbing = false
                return
            }
            open(afterFailures: breaker.failures + 1, at: now, random: random)
        }
    }

    private mutating func open(afterFailures failures: Int, at now: Duration, random: any RandomSource) {
        let pause = settings.pauses.delay(afterAttempt: failures, random: random)
        breaker = Breaker(end: now + pause, failures: failures)
        (failuresInRow, errorsInRow, trusted) = (0, 0, settings.inFlightFirst)
    }
}

/// Why a push is not sent to its server now, and how long it should wait.
enum OriginRefusal: Sendable, Equatable {
    /// The server does not answer, or with errors only.
    case failing(Duration)
    /// It asked for a pause.
    case throttled(Duration)
    /// It owes answers to earlier pushes.
    case busy(Duration)

    /// For waits whose end is not known.
    static let retry = Duration.seconds(2)

    var outcome: PushOutcome {
        switch self {
        case .failing(let pause): .heldBack(pause, reason: "the device's server does not answer")
        case .throttled(let pause): .heldBack(pause, reason: "the device's server asked for a pause")
        case .busy(let pause): .heldBack(pause, reason: "the device's server is slow")
        }
    }
}

/// What the outcomes of some pushes say about their server.
private struct OriginTally {
    var answered = 0
    /// Answered, and not with an error of the server or a wait.
    var worked = 0
    var errors = 0
    var throttled = 0
    /// The longest wait that an answer asked for.
    var asked = Duration.zero
    /// No answer.
    var failed = 0

    /// A server that throttles works.
    var hasWorked: Bool { worked + throttled > 0 }

    init(_ outcomes: [PushOutcome]) {
        for outcome in outcomes {
            switch outcome {
            case .heldBack: break
            case .notSent, .unknown: failed += 1
            // An answer without a status was made here.
            case .answered(let answer) where answer.status > 0: note(answer)
            case .answered: break
            }
        }
    }

    private mutating func note(_ answer: ProviderAnswer) {
        answered += 1
        switch answer.verdict {
        case .throttled(_, let advice):
            throttled += 1
            // The wait in a manual is meant for one device.
            if advice.isAsked { asked = max(asked, advice.floor) }
        case .retryLater(let advice) where advice.isAsked:
            // A 503 with a wait: the server works, and has too much to do.
            throttled += 1
            asked = max(asked, advice.floor)
        case .retryLater: errors += 1
        case .delivered, .invalidDevice, .suspectDevice, .refreshAuthorization, .misconfigured, .payloadRejected:
            worked += 1
        }
    }
}
