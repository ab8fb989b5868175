import ServiceKit

@testable import carillon

/// Keeps what was said, and answers what a test wants answered.
final class RecordedConsole: Console {
    private struct State {
        var printed: [String] = []
        var complaints: [String] = []
        var questions: [String] = []
    }

    private let state = Monitor(State())
    private let answer: Bool?

    init(answer: Bool? = nil) {
        self.answer = answer
    }

    /// Line by line.
    var printed: [String] {
        state.withLock { $0.printed.flatMap { $0.split(whereSeparator: \.isNewline).map(String.init) } }
    }
    var complaints: [String] { state.withLock { $0.complaints } }
    var questions: [String] { state.withLock { $0.questions } }

    func print(_ text: String) {
        state.change { $0.printed.append(text) }
    }

    func complain(_ text: String) {
        state.change { $0.complaints.append(text) }
    }

    func confirm(_ question: String) async -> Bool? {
        state.change { $0.questions.append(question) }
        return answer
    }
}
