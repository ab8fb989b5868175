import ServiceKit

/// Signals between the tasks and the loop of one consumer.
final class ConsumerSignals: Sendable {
    /// Time for the commit, for leaving the group and for the end of the library's threads, five seconds each, in
    /// addition to the work in flight.
    static let closeAllowance = Duration.seconds(15)

    /// The group's leader has assigned this member its partitions, possibly none.
    let joined = OneTimeEvent()
    let stopping = OneTimeEvent()
    let closing = OneTimeEvent()
    let ended = OneTimeEvent()
}
