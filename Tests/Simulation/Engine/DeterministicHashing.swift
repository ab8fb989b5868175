import Glibc

/// The runtime gives hashes another seed in each process, and with them sets and dictionaries another order, unless a
/// variable says otherwise when the process starts.
enum DeterministicHashing {
    private static let variable = "SWIFT_DETERMINISTIC_HASHING"

    static var isOn: Bool { getenv(variable) != nil }

    /// Starts the program again with the variable set, unless it is.
    static func require() {
        guard !isOn else { return }
        setenv(variable, "1", 1)
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        preconditionFailure("the program cannot be started again")
    }
}
