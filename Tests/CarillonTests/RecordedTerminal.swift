import CommandKit
import ServiceKit
import TestSupport

@testable import Carillon

/// Records the output, and answers questions as the test requires.
final class RecordedTerminal: Terminal {
    private struct State {
        var printed: [String] = []
        var complaints: [String] = []
        var questions: [String] = []
        var drawn: [String?] = []
    }

    private let state = Monitor(State())
    let isTerminal: Bool
    let columns = 80
    let styling: Styling
    let complaintStyling: Styling
    private let answer: Bool?

    init(answer: Bool? = nil, isTerminal: Bool = false, hasStyles: Bool = false) {
        styling = Styling(isOn: hasStyles)
        complaintStyling = styling
        self.answer = answer
        self.isTerminal = isTerminal
    }

    /// The printed lines.
    var printed: [String] {
        state.withLock { $0.printed.flatMap { $0.split(whereSeparator: \.isNewline).map(String.init) } }
    }
    var complaints: [String] { state.withLock { $0.complaints } }
    /// False if the test's limit passes first.
    func hasComplaint(_ isMeant: @escaping @Sendable (String) -> Bool) async -> Bool {
        await blocking { [state] in
            state.wait(timeout: .hangLimit) { $0.complaints.contains(where: isMeant) ? true : nil } ?? false
        }
    }

    /// The redrawn lines; nil where the line was erased.
    var drawn: [String?] { state.withLock { $0.drawn } }
    var questions: [String] { state.withLock { $0.questions } }

    func print(_ text: String) {
        state.change { $0.printed.append(text) }
    }

    func complain(_ text: String) {
        state.change { $0.complaints.append(text) }
    }

    func redraw(_ line: String?) {
        state.change { $0.drawn.append(line) }
    }

    func confirm(_ question: String) async -> Bool? {
        state.change { $0.questions.append(question) }
        return answer
    }
}
