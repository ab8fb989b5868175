import JSONKit
import ServiceKit
import Synchronization

@testable import HTTPServer
@testable import IngestAPI

/// The public port of an API, without sockets: a request goes to the handler of its route.
final class SimulatedAPI: Sendable {
    /// Any other answer than one that the request is done.
    struct RefusalError: Error, CustomStringConvertible {
        let status: Int
        let text: String

        /// False if the request may succeed when it is repeated.
        var isFinal: Bool {
            ![404, 409, 429].contains(status) && status < 500 && !saysThatActivityMayChange && !saysThatDeviceIsUnknown
        }

        var saysThatActivityHasEnded: Bool {
            status == 409 && text.contains("activity-ended")
                || status == RefusalError.mistake && text.contains(" has ended.")
        }

        var saysThatDeviceIsUnknown: Bool {
            status == 404 || status == RefusalError.mistake && text.contains("hwid: the app has no")
        }

        /// It is not known yet, or still running.
        private var saysThatActivityMayChange: Bool {
            status == RefusalError.mistake
                && (text.contains("has no Live Activity") || text.contains(" is running."))
        }

        /// Of Pushwoosh, in an answer whose status is 200.
        private static let mistake = 210
        var description: String { "\(status) \(text)" }
    }

    private let parts: IngestParts
    private let app: SimulatedApp
    /// Nil before the first request: many processes are killed before one.
    private let router = Mutex<HTTPRouter?>(nil)

    init(_ parts: IngestParts, app: SimulatedApp) {
        self.parts = parts
        self.app = app
    }

    func send(_ request: PublisherRequest) async throws -> PublisherAnswer {
        let response = await answer(request)
        guard case .bytes(let body) = response.body else { preconditionFailure("the answer is a stream") }
        guard 200...299 ~= response.status.code else {
            throw RefusalError(status: response.status.code, text: String(decoding: body, as: UTF8.self))
        }
        let json = body.isEmpty ? JSON.null : try JSON(body)
        if case .integer(let code) = json["status_code"], code != 200 {
            throw RefusalError(status: Int(code), text: String(decoding: body, as: UTF8.self))
        }
        return PublisherAnswer(json: json, headers: response.headers)
    }

    private func answer(_ request: PublisherRequest) async -> HTTPResponse {
        let segments = request.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard case .route(let route, let parameters) = routes().match(request.method, segments: segments),
            case .admitted(let decide) = route.answering
        else { preconditionFailure("there is no route for \(request.path)") }
        let request = request.http(parameters: parameters)
        switch decide(request) {
        case .refused(let response): return response
        case .admitted(_, _, _, let handler): return await handler(request)
        }
    }

    private func routes() -> HTTPRouter {
        router.withLock { router in
            if let router { return router }
            let gatekeeper = Gatekeeper(
                limits: parts.limits, crossOrigin: CrossOrigin { _ in false }, access: { [app] _, _ in app.access })
            let new = IngestRoutes(parts, gatekeeper: gatekeeper).router
            router = new
            return new
        }
    }
}
