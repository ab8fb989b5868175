import HTTP2

/// A request on its own stream.
final class OpenRequest {
    enum Phase {
        /// The body is arriving.
        case body(Exchange, deadline: Duration)
        case handling
        case answering
        /// The response is given, and the rest of an unwanted body is discarded.
        case discarding(deadline: Duration)
    }

    let stream: HTTP2RequestStream
    let began: Duration
    var isHead = false
    var route: HTTPRouter.Route?
    var phase = Phase.answering
    /// Source of a streamed response body.
    var body: HTTPStream?
    /// Time at which the client last took a part of the response, and the number of parts it had taken then.
    var lastProgress: Duration
    private var partsTaken = 0

    init(_ stream: HTTP2RequestStream, began: Duration) {
        self.stream = stream
        self.began = began
        lastProgress = began
    }

    var isDiscarding: Bool {
        if case .discarding = phase { true } else { false }
    }

    func isDiscardingLate(_ now: Duration) -> Bool {
        if case .discarding(let deadline) = phase { now >= deadline } else { false }
    }

    var isHandled: Bool {
        if case .handling = phase { true } else { false }
    }

    var isAnswered: Bool {
        if case .answering = phase { true } else { false }
    }

    /// Takes the body while it is wanted.
    var exchange: Exchange? {
        if case .body(let exchange, _) = phase { exchange } else { nil }
    }

    /// True if the client has made no room for its response for `limit`.
    func isStalled(_ now: Duration, for limit: Duration) -> Bool {
        guard isAnswered, !stream.waitsForBody, stream.partsTaken == partsTaken else {
            partsTaken = stream.partsTaken
            lastProgress = now
            return false
        }
        return now >= lastProgress + limit
    }

    func isBodyLate(_ now: Duration) -> Bool {
        if case .body(_, let deadline) = phase { now >= deadline } else { false }
    }
}
