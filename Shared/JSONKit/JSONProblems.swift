import ServiceKit

/// Collects all errors of a document, so that its author gets them in one response. Not thread-safe; used by one
/// function that reads the document.
package final class JSONProblems {
    package struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// Such as `providers.apns.key_id` or `allow[2].range`; empty for the document as a whole.
        package let path: String
        /// The error, shown after the path.
        package let message: String
        /// True for a required field without a value.
        package let isMissing: Bool

        package init(path: String, message: String) {
            self.init(path: path, message: message, isMissing: false)
        }

        package init(path: String, missing expected: String) {
            self.init(path: path, message: "missing; expected \(expected)", isMissing: true)
        }

        private init(path: String, message: String, isMissing: Bool) {
            self.path = path
            self.message = message
            self.isMissing = isMissing
        }

        package var description: String { path.isEmpty ? message : "\(path): \(message)" }
    }

    /// A malicious document must not cause a response much larger than itself.
    private static let countMaximum = 100
    /// Limits of suggestions, which compare a name with every known one.
    private static let adviceMaximum = 16
    private static let advisedBytesMaximum = 64

    package private(set) var all: [Problem] = []
    private var adviceGiven = 0

    /// True once further errors are discarded, so that readers can stop.
    package var isFull: Bool { all.count > JSONProblems.countMaximum }

    package init() {}

    package func add(_ path: String, message: String) {
        add(Problem(path: path, message: message))
    }

    /// `expected` completes "missing; expected …".
    package func add(_ path: String, missing expected: String) {
        add(Problem(path: path, missing: expected))
    }

    private func add(_ problem: Problem) {
        guard !isFull else { return }
        let isLast = all.count == JSONProblems.countMaximum
        all.append(isLast ? Problem(path: "", message: "more errors omitted") : problem)
    }

    /// A suggestion to append to an error about an unknown name. Empty for a long name, and after the maximum number of
    /// suggestions.
    package func advice(on name: String, among known: @autoclosure () -> [String]) -> String {
        guard adviceGiven < JSONProblems.adviceMaximum, name.utf8.count < JSONProblems.advisedBytesMaximum else {
            return ""
        }
        adviceGiven += 1
        return Spelling.advice(name, among: known())
    }
}
