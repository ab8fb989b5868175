import ServiceKit

/// What the tasks and the loop of one consumer tell each other.
final class ConsumerSignals: Sendable {
    /// For the commit, for leaving the group and for the end of the library's threads, five seconds each, beyond the work
    /// in flight.
    static let closeAllowance = Duration.seconds(15)

    /// The group's leader has given this member its share, which may be empty.
    let joined = OneTimeEvent()
    let stopping = OneTimeEvent()
    let closing = OneTimeEvent()
    let ended = OneTimeEvent()
}
