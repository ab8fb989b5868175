import HTTP2

/// A request on a stream of its own.
final class OpenRequest {
    enum Phase {
        /// The body arrives.
        case body(Exchange, deadline: Duration)
        case handling
        case answering
        /// It is answered, and the rest of a body that is not wanted is read over.
        case discarding(deadline: Duration)
    }

    let stream: HTTP2RequestStream
    let began: Duration
    var isHead = false
    var route: HTTPRouter.Route?
    var phase = Phase.answering
    /// What the answer's body is read from, where it is written meanwhile.
    var body: HTTPStream?
    /// When the client was last seen to take a part of the answer, and how many parts it had taken then.
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

    /// What takes the body, while it is wanted.
    var exchange: Exchange? {
        if case .body(let exchange, _) = phase { exchange } else { nil }
    }

    /// Whether the client has made no room for its answer for so long.
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
