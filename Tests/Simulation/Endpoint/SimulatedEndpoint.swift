import ServiceKit
import Synchronization

/// The backend of the app, with a book of the posts that it accepted.
final class SimulatedEndpoint: Sendable {
    struct Accepted: Sendable {
        let kind: Kind
        /// The same in every attempt.
        let id: String
        let body: [UInt8]
    }

    enum Kind: Sendable {
        case report
        case states
        case transitions
    }

    enum Mood: String, CaseIterable, Sendable {
        case well
        /// Answers each post with 500.
        case refusing
        /// Accepts posts, but the answer is lost.
        case losingAnswers
        /// Takes longer than some posts may.
        case slow
        case unreachable
    }

    private struct State {
        var mood = Mood.well
        var accepted: [Accepted] = []
    }

    private let state = Mutex(State())

    var mood: Mood {
        get { state.withLock { $0.mood } }
        set { state.withLock { $0.mood = newValue } }
    }

    /// In order, with repeats.
    var accepted: [Accepted] { state.withLock { $0.accepted } }

    func accept(_ post: Accepted) {
        state.withLock { $0.accepted.append(post) }
    }
}
