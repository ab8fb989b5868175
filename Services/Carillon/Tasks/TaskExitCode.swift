import CommandKit

/// Exit codes of commands that wait for a task, in addition to those of `ExitCode`.
enum TaskExitCode {
    static let notAllDelivered: Int32 = 2
    static let cancelled: Int32 = 3

    static let meanings = [
        ExitCodeMeaning(notAllDelivered, of: "watch, push --watch", meaning: "a device ended other than delivered"),
        ExitCodeMeaning(cancelled, of: "watch, push --watch", meaning: "the task was cancelled"),
    ]
}
