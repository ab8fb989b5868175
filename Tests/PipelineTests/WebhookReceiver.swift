import HTTPServer
import JSONKit
import ServiceKit
import Signing
import TestSupport

/// The webhook of an app, on loopback. The first requests get the given answers, all others are accepted.
final class WebhookReceiver: Sendable {
    enum Answer: Sendable {
        case error
        /// Not before the sender has gone.
        case silence
    }

    static let secret = "s3cret"
    static let signingKey = "a key of news"

    fileprivate struct State {
        var answers: [Answer]
        var requests = 0
        /// Of each accepted request its body, by its key.
        var accepted: [String: [UInt8]] = [:]
        /// What was told, in the order in which it was accepted, by message or device.
        var told: [String: [String]] = [:]
        var problems: [String] = []
    }

    private let server: HTTPServer
    private let state: Monitor<State>
    private let unanswered = OneTimeEvent()
    let url: String

    init(_ answers: [Answer]) throws {
        let state = Monitor(State(answers: answers))
        self.state = state
        var router = HTTPRouter()
        router.on(.post, pattern: "/states") { [unanswered] request in
            switch state.change({ $0.answer(to: request) }) {
            case nil: return HTTPResponse(.noContent)
            case .error: return HTTPResponse(.internalServerError)
            case .silence:
                await unanswered.wait()
                return HTTPResponse(.serviceUnavailable)
            }
        }
        server = HTTPServer(
            configuration: HTTPServerConfiguration(), router: router,
            log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
        try server.start()
        guard let port = server.port else { preconditionFailure("a started server has a port") }
        url = "http://127.0.0.1:\(port)/states"
    }

    var told: [String: [String]] { state.withLock { $0.told } }

    /// What is wrong with requests: a secret, a signature, or a repeat that differs.
    var problems: [String] { state.withLock { $0.problems } }

    /// True once it has got this many requests.
    func hasRequests(_ count: Int) async -> Bool {
        await blocking { [state] in state.wait(timeout: .hangLimit) { $0.requests >= count ? true : nil } ?? false }
    }

    /// True once this was told last of the message or device.
    func hasTold(_ text: String, of subject: String) async -> Bool {
        await blocking { [state] in
            state.wait(timeout: .hangLimit) { $0.told[subject]?.last == text ? true : nil } ?? false
        }
    }

    func stop() async {
        unanswered.happen()
        await server.stop(within: .zero)
    }
}

extension WebhookReceiver.State {
    /// Nil to accept the request.
    mutating func answer(to request: HTTPRequest) -> WebhookReceiver.Answer? {
        requests += 1
        let body = request.body.bytes
        check(request, body: body)
        guard answers.isEmpty else { return answers.removeFirst() }
        let key = request.headers["X-Idempotency-Key"] ?? ""
        let known = accepted.updateValue(body, forKey: key)
        guard known == nil else {
            if known != body { problems.append("a repeat of \(key) differs") }
            return nil
        }
        let isOfDevices = request.headers["X-CTX-Event-Type"] == "device_transition"
        for entry in (try? JSON(body))?.elements ?? [] {
            if isOfDevices {
                let classes = ["previous_class", "class"].map { entry[$0]?.text ?? "–" }
                told[entry["device_token"]?.text ?? "–", default: []].append(classes.joined(separator: " to "))
            } else {
                told[entry["idempotency_key"]?.text ?? "–", default: []].append(entry["delivery_status"]?.text ?? "–")
            }
        }
        return nil
    }

    private mutating func check(_ request: HTTPRequest, body: [UInt8]) {
        if request.headers["X-CTX-Secret"] != WebhookReceiver.secret { problems.append("a wrong secret") }
        let signature = request.headers["Carillon-Signature"] ?? ""
        let parts = signature.split(separator: ",").map(String.init)
        let time = parts.first.flatMap { $0.hasPrefix("t=") ? String($0.dropFirst(2)) : nil } ?? ""
        let code = HMACKey(Array(WebhookReceiver.signingKey.utf8)).code(for: Array("\(time).".utf8) + body)
        if parts != ["t=\(time)", "v1=\(Hexadecimal.encode(code))"] { problems.append("a wrong signature") }
    }
}
