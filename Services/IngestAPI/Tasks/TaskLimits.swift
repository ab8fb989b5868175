import ServiceKit
import Topics

/// Limits of one request.
enum TaskLimits {
    /// Users and devices listed individually.
    static let entriesMaximum = 250_000
    /// Body size of a request with a list of that length.
    static let bodyBytesMaximum = 16 << 20
    /// JSON values in a body: both lists at their maximum, and the rest of a task.
    static let bodyValuesMaximum = 2 * entriesMaximum + 100_000
    /// Nesting of arrays and objects. The task nests the content of a body deeper, and readers of tasks accept 32
    /// levels.
    static let bodyDepthMaximum = 24
    /// Entries in a dry run, which looks up each of them.
    static let countedEntriesMaximum = 10_000
    /// Users of a request with a window, each of whom gets a task.
    static let windowedUsersMaximum = 100
    /// How far ahead a task may be scheduled.
    static let scheduleMaximum = Duration.seconds(90 * 86_400)
    /// A time that is over by more than this is refused: it is rather a mistake than a delay of the request.
    static let scheduleLatenessMaximum = Duration.seconds(3_600)
    static let variablesMaximum = 64
    static let variableNameBytesMaximum = 64
    static let variableBytesMaximum = 1_024
    /// A task without its list; a short list must fit into the same message.
    static let taskBytesMaximum = 128 << 10
    /// The entries of one message.
    static let partBytesMaximum = 64 << 10
}
