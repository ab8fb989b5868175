import ServiceKit
import Topics

/// What one request may ask for.
enum TaskLimits {
    /// Users and devices named one by one.
    static let entriesMaximum = 250_000
    /// Of a request with a list that long.
    static let bodyBytesMaximum = 16 << 20
    /// Of a body: the entries of both lists, each as long as it may be, and the rest of a task beside them.
    static let bodyValuesMaximum = 2 * entriesMaximum + 100_000
    /// Lists and objects in one another. What of a body goes into its task lies deeper there, and whoever reads tasks goes
    /// down to 32.
    static let bodyDepthMaximum = 24
    /// Named one by one in a dry run, which looks each of them up.
    static let countedEntriesMaximum = 10_000
    /// Zero is for providers that are to try once.
    static let timeToLive = Duration.zero...Duration.seconds(28 * 86_400)
    static let variablesMaximum = 64
    static let variableNameBytesMaximum = 64
    static let variableBytesMaximum = 1_024
    /// A task without its list; a short list has to fit beside it into one message.
    static let taskBytesMaximum = 128 << 10
    /// The entries of one message.
    static let partBytesMaximum = 64 << 10
}
