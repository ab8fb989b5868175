import TLSSocket

@testable import HTTP2

/// HTTP/2 sessions that receive arbitrary input of a peer.
enum HTTP2Targets {
    private static let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let emptySettings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// Each request has exactly one outcome, and the stored part of a response is bounded.
    static func client(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let head = input.byte()
        let piece = 1 + input.number(below: 64)
        var configuration = HTTP2Configuration()
        configuration.responseBodyMaximum = 512
        configuration.responseHeadersMaximum = 256
        if head & 2 != 0 { configuration.provesAuthentication = { $0.status == 200 } }
        let run = ClientRun(configuration)
        if head & 1 == 0 { _ = run.receive(emptySettings) }
        run.send(1 + Int(head >> 2 & 3))
        for start in stride(from: 0, to: input.count, by: piece) {
            guard run.receive(input.piece(from: start, count: piece)) else { break }
            // Later requests are sent between the peer's frames.
            if run.requests.count < 6 { run.send(1) }
        }
        try run.finish(isWritten: head & 16 != 0)
    }

    /// Requests are answered, regardless of what else the client does with their streams.
    static func server(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let head = input.byte()
        let piece = 1 + input.number(below: 64)
        var configuration = HTTP2ServerConfiguration(
            tls: TLSServerConfiguration(certificateFile: "", privateKeyFile: ""))
        configuration.requestBodyMaximum = 512
        configuration.requestHeadersMaximum = 256
        let session = ServerSession(configuration, settings: [.streamsMaximum(4)])
        if head & 2 != 0 { session.streamsBeforeGoodbye = 2 }
        drain(session)
        if head & 1 == 0, !receive(clientPreface + emptySettings, session: session) { return }
        for start in stride(from: 0, to: input.count, by: piece) {
            guard receive(input.piece(from: start, count: piece), session: session) else { return }
            for stream in session.takeComplete() where !stream.isClosed {
                try FuzzError.check(stream.body.count <= 512, message: "a request's body passes its bound")
                try FuzzError.check(
                    stream.headers.bytes.count <= 512, message: "a request's headers pass their bound")
                switch head >> 2 & 3 {
                case 0: session.refuse(stream)
                case 1: session.fail(stream)
                default: session.submit(status: "200", headers: ["a": "b"], body: [1, 2, 3], on: stream)
                }
            }
            drain(session)
        }
    }

    private static func receive(_ bytes: [UInt8], session: NGHTTP2Session) -> Bool {
        bytes.withUnsafeBytes { session.receive($0) }
    }

    private static func drain(_ session: NGHTTP2Session) {
        while session.nextFrame() != nil {}
    }
}

extension FuzzInput {
    fileprivate var count: Int { remaining.count }

    fileprivate func piece(from start: Int, count: Int) -> [UInt8] {
        Array(remaining.dropFirst(start).prefix(count))
    }
}

/// A client session and its requests.
private final class ClientRun {
    private let session: ClientSession
    private let configuration: HTTP2Configuration
    private(set) var requests: [PendingRequest] = []
    private var outcomes: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
    private var unprocessed: [PendingRequest] = []
    /// Number of requests that the session refused.
    private var refused = 0

    init(_ configuration: HTTP2Configuration) {
        self.configuration = configuration
        session = ClientSession(configuration, authority: "bell.example")
        drain()
    }

    func send(_ count: Int) {
        for _ in 0..<min(count, session.room) {
            let request = HTTP2Request(.post, "/3/device/\(requests.count)", body: [1, 2, 3])
            let pending = PendingRequest(
                request, index: requests.count, accepted: .zero, limit: .seconds(1), completion: { _, _ in })
            requests.append(pending)
            if !session.send(pending) { refused += 1 }
        }
        drain()
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        let isUnderstood = bytes.withUnsafeBytes { session.receive($0) }
        collect()
        if isUnderstood { drain() }
        return isUnderstood && !session.isOver
    }

    func finish(isWritten: Bool) throws {
        session.breakUp(bytesWritten: isWritten ? .max : 0, HTTP2Error(.broken, message: "the peer is gone"))
        collect()
        let ended = outcomes.map(\.request) + unprocessed
        try FuzzError.check(
            Set(ended.map(ObjectIdentifier.init)).count == ended.count && ended.count + refused == requests.count,
            message: "\(requests.count) requests have \(ended.count) outcomes, \(refused) were refused")
        for case (_, .answered(let response)) in outcomes {
            try FuzzError.check(200...999 ~= response.status, message: "\(response.status) is no final status")
            try FuzzError.check(
                response.body.count <= configuration.responseBodyMaximum, message: "a body passes its bound")
            try FuzzError.check(response.headers.bytes.count <= 512, message: "headers pass their bound")
        }
    }

    private func collect() {
        var new: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
        unprocessed += session.takeEvents(into: &new)
        outcomes += new
    }

    private func drain() {
        while let frame = session.nextFrame() { session.bytesTaken += frame.count }
    }
}
