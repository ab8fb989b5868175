import Glibc
import ServiceKit

/// A group of commands in a program of its own, in the folder of this one: `carillon bench` starts `carillon-bench`.
package struct CommandProgram: Sendable {
    /// The first word of its commands.
    package let word: String
    package let purpose: String
    package let program: String

    package init(_ word: String, purpose: String, program: String) {
        self.word = word
        self.purpose = purpose
        self.program = program
    }

    /// Replaces this process, so that signals and the exit code need no forwarding. Returns only by throwing.
    func execute(_ words: [String]) throws {
        let path = try SiblingProgram(program).path
        // Threads of the Swift runtime block signals, and the new program would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = ([path] + words).map { strdup($0) } + [nil]
        execv(path, &arguments)
        let reason = String(cString: strerror(errno))
        for argument in arguments { free(argument) }
        throw ExecutionError(description: "cannot start \(path): \(reason)")
    }
}

struct ExecutionError: Error, CustomStringConvertible {
    let description: String
}
