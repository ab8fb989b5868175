import ServiceKit

/// What is wrong with a document, gathered so that whoever wrote it hears of everything at once. Belongs to the one
/// function that reads the document.
package final class JSONProblems {
    package struct Problem: Sendable, Equatable, CustomStringConvertible {
        /// Such as `providers.apns.key_id` or `allow[2].range`; empty for the document as a whole.
        package let path: String
        /// Completes the sentence that begins with the path.
        package let message: String

        package init(path: String, message: String) {
            self.path = path
            self.message = message
        }

        package var description: String { path.isEmpty ? message : "\(path): \(message)" }
    }

    /// A hostile document must not make an answer much larger than itself.
    private static let countMaximum = 100
    /// Advice compares a name with every known one, letter by letter.
    private static let adviceMaximum = 16
    private static let advisedBytesMaximum = 64

    package private(set) var all: [Problem] = []
    private var adviceGiven = 0

    /// Further ones are not kept, so that readers need not look for them.
    package var isFull: Bool { all.count > JSONProblems.countMaximum }

    package init() {}

    package func add(_ path: String, message: String) {
        guard !isFull else { return }
        let isLast = all.count == JSONProblems.countMaximum
        all.append(isLast ? Problem(path: "", message: "and there is more") : Problem(path: path, message: message))
    }

    /// The end of a sentence about an unknown name: what may have been meant. Empty for a long name, and once it was given
    /// often enough.
    package func advice(on name: String, among known: @autoclosure () -> [String]) -> String {
        guard adviceGiven < JSONProblems.adviceMaximum, name.utf8.count < JSONProblems.advisedBytesMaximum else {
            return ""
        }
        adviceGiven += 1
        return Spelling.advice(name, among: known())
    }
}
