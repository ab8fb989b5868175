import ServiceKit

/// An admitted request while its body arrives.
final class Exchange {
    enum Step {
        case incomplete
        /// Number of the bytes that belonged to the body.
        case complete(Int)
        case refused(RequestError)
    }

    private let request: HTTPRequest
    private let handler: HTTPRouter.Handler
    private var intake: BodyIntake
    private var chunks: ChunkedBody?
    /// For a body with a length, the bytes still to come.
    private var left = 0

    init(
        _ request: HTTPRequest, handler: @escaping HTTPRouter.Handler, framing: BodyFraming,
        intake: consuming BodyIntake
    ) {
        self.request = request
        self.handler = handler
        self.intake = intake
        switch framing {
        case .none: break
        case .length(let count): left = count
        case .chunked: chunks = ChunkedBody()
        case .untilEnd: left = .max
        }
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Step {
        guard chunks == nil else { return takeChunks(bytes) }
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(left))
        if let error = intake.take(part) { return .refused(error) }
        left -= part.count
        return left == 0 ? .complete(part.count) : .incomplete
    }

    /// The complete request and its handler.
    func finish() -> (HTTPRequest, HTTPRouter.Handler) {
        (request.with(body: intake.finish()), handler)
    }

    private func takeChunks(_ bytes: UnsafeRawBufferPointer) -> Step {
        guard var reader = chunks else { return .complete(0) }
        defer { chunks = reader }
        switch reader.read(bytes, take: { intake.take($0) }) {
        case .incomplete: return .incomplete
        case .complete(let count): return .complete(count)
        case .refused(let error): return .refused(error)
        }
    }
}
