/// Where one request and its answer are. Decides only; `Exchange` holds it under its lock and acts.
///
/// A connection is suspended exactly while the phase is `handling`, and the one transition that leaves it says to
/// resume: so it is resumed exactly once, whether by the answer or by the server giving up on it.
enum ExchangePhase {
    case receiving
    /// Answered without a handler once the body is over.
    case refused(HTTPResponse)
    case handling
    case answered(HTTPResponse)
    case sending(HTTPStream?)
    case abandoned

    enum Step {
        case handle
        case send(HTTPResponse)
        case close
    }

    enum Abandonment {
        case nothing
        case resume
        case cut(HTTPStream)
    }

    mutating func refuse(_ response: HTTPResponse) {
        guard case .receiving = self else { return }
        self = .refused(response)
    }

    /// The library has the whole request, or has been resumed: what it should do now.
    mutating func step() -> Step {
        switch self {
        case .receiving:
            self = .handling
            return .handle
        case .refused(let response), .answered(let response):
            self = .sending(response.stream)
            return .send(response)
        case .abandoned:
            return .close
        case .handling, .sending:
            preconditionFailure("the library asked for an answer while the connection was suspended or answered")
        }
    }

    /// The handler's answer; true when the connection must be resumed. An answer that comes after the server gave up
    /// on the request goes nowhere.
    mutating func answer(_ response: HTTPResponse) -> Bool {
        switch self {
        case .handling:
            self = .answered(response)
            return true
        case .abandoned:
            return false
        case .receiving, .refused, .answered, .sending:
            preconditionFailure("a request was answered twice, or before it was handed to its handler")
        }
    }

    /// The server waits no longer.
    mutating func abandon() -> Abandonment {
        switch self {
        case .receiving, .refused:
            self = .abandoned
            return .nothing
        case .handling:
            self = .abandoned
            return .resume
        case .answered(let response):
            self = .abandoned
            return response.stream.map { .cut($0) } ?? .nothing
        case .sending(let stream):
            return stream.map { .cut($0) } ?? .nothing
        case .abandoned:
            return .nothing
        }
    }
}
