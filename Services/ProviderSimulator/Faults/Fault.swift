/// What a provider does instead of answering as it should.
enum Fault: Sendable, Equatable {
    /// Any status, with a reason in the provider's own form of an error.
    case answer(AskedError)
    /// Says that the request was not processed.
    case refuse
    /// Breaks the stream off.
    case fail
    /// Never answers.
    case stall
    /// Closes the connection.
    case drop

    /// As the admin API calls it.
    var kind: String {
        switch self {
        case .answer: "answer"
        case .refuse: "refuse"
        case .fail: "fail"
        case .stall: "stall"
        case .drop: "drop"
        }
    }

    /// Under which name it is counted.
    var name: String {
        guard case .answer(let error) = self else { return kind }
        return error.reason ?? String(error.status)
    }
}
