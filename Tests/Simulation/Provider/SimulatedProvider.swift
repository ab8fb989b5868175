import ProviderKit
import PushModel
import ServiceKit
import Synchronization

/// The providers of all devices, with a book of what they accepted.
final class SimulatedProvider: Sendable {
    struct Accepted: Sendable {
        /// Begins like that of its task.
        let id: TaskID
        let token: String
        let time: Duration
        let process: String
        let payload: [UInt8]
        /// With which the device reports what became of it.
        let proof: ReceiptProof?
        /// True if the sender got no answer.
        let isUnanswered: Bool
        /// Of a push to a Live Activity.
        let state: PushedState?
    }

    enum Mood: String, CaseIterable, Sendable {
        case well
        /// Answers that there are too many pushes.
        case throttling
        /// Accepts nothing, and answers so.
        case failing
        /// Accepts pushes, but the answer is lost.
        case losingAnswers
        case slow
        /// Does not know one in four devices.
        case forgetful
        /// Accepts some pushes, but answers like a server that failed.
        case failingLate
        /// Refuses all that the app sends until somebody mends its credentials.
        case refusingApp

        /// True if some pushes are accepted only when they are sent again.
        var delaysPushes: Bool {
            switch self {
            case .well, .slow, .forgetful: false
            case .throttling, .failing, .losingAnswers, .failingLate, .refusingApp: true
            }
        }

        var losesAnswers: Bool { self == .losingAnswers || self == .failingLate }
    }

    private struct State {
        var mood = Mood.well
        var accepted: [Accepted] = []
        var unregistered: Set<String> = []
    }

    let channels = SimulatedChannels()
    private let state = Mutex(State())

    var mood: Mood {
        get { state.withLock { $0.mood } }
        set { state.withLock { $0.mood = newValue } }
    }

    var accepted: [Accepted] { state.withLock { $0.accepted } }
    var unregistered: Set<String> { state.withLock { $0.unregistered } }

    func accept(_ push: Push, at time: Duration, by process: String, isUnanswered: Bool = false) {
        state.withLock {
            $0.accepted.append(
                Accepted(
                    id: push.id, token: push.token, time: time, process: process, payload: push.payload,
                    proof: push.proof, isUnanswered: isUnanswered, state: PushedState(push)))
        }
    }

    func unregister(_ token: String) {
        state.withLock { _ = $0.unregistered.insert(token) }
    }

    func isUnregistered(_ token: String) -> Bool {
        state.withLock { $0.unregistered.contains(token) }
    }
}
