/// A faulty reaction of a provider in place of its answer.
enum Fault: Sendable, Equatable {
    /// Answers with any status, and a reason in the provider's own form of an error.
    case answer(AskedError)
    /// Refuses the stream: the request was not processed.
    case refuse
    /// Resets the stream.
    case fail
    /// Never answers.
    case stall
    /// Closes the connection.
    case drop

    /// Name in the admin API.
    var kind: String {
        switch self {
        case .answer: "answer"
        case .refuse: "refuse"
        case .fail: "fail"
        case .stall: "stall"
        case .drop: "drop"
        }
    }

    /// Name in the statistics.
    var name: String {
        guard case .answer(let error) = self else { return kind }
        return error.reason ?? String(error.status)
    }
}
