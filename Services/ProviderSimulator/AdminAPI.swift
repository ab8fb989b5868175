import HTTP2
import HTTPServer
import JSONKit
import ServiceKit

/// The admin API of a running simulator, for tests and people: JSON over plain HTTP.
struct AdminAPI: Sendable {
    private static let pushesDefault = 20

    private let providers: [Provider: SimulatedProvider]
    private let subscriptions: SubscriptionAPI
    private let phones: PhoneAPI
    private let channels: ChannelAPI

    init(
        _ providers: [Provider: SimulatedProvider], subscriptions: SubscriptionAPI, phones: PhoneAPI,
        channels: ChannelAPI
    ) {
        self.providers = providers
        self.subscriptions = subscriptions
        self.phones = phones
        self.channels = channels
    }

    var router: HTTPRouter {
        var router = HTTPRouter()
        for path in ["/healthz", "/readyz"] { router.on(.get, pattern: path) { _ in .json("{\"status\":\"ok\"}\n") } }
        router.on(.get, pattern: "/stats") { _ in .json(statistics + "\n") }
        router.on(.delete, pattern: "/stats") { _ in
            for provider in providers.values { provider.port.resetStatistics() }
            return HTTPResponse(.noContent)
        }
        router.on(.get, pattern: "/stats/:provider/devices/:device") { deliveries($0) }
        router.on(.get, pattern: "/pushes/:provider") { pushes($0) }
        router.on(.get, pattern: "/faults") { _ in .json(faults + "\n") }
        router.on(.post, pattern: "/faults") { addFault($0) }
        router.on(.delete, pattern: "/faults") { _ in
            for provider in providers.values { provider.port.removeFaults() }
            return HTTPResponse(.noContent)
        }
        router.on(.post, pattern: "/connections") { changeConnections($0) }
        router.on(.post, pattern: "/credentials") { changeCredentials($0) }
        subscriptions.add(to: &router)
        phones.add(to: &router)
        channels.add(to: &router)
        return router
    }

    private var statistics: String {
        JSONText.object { json in
            for provider in Provider.allCases {
                if let port = providers[provider]?.port { json.member(provider.rawValue, json: port.statistics) }
            }
        }
    }

    private func deliveries(_ request: HTTPRequest) -> HTTPResponse {
        guard let provider = provider(of: request) else { return AdminAPI.unknownProvider }
        let count = provider.port.deliveries(to: request.parameter("device"))
        return .json(JSONText.object { $0.member("deliveries", count) } + "\n")
    }

    private func pushes(_ request: HTTPRequest) -> HTTPResponse {
        guard let provider = provider(of: request) else { return AdminAPI.unknownProvider }
        let count = request.queryValue("limit").flatMap { Int($0) } ?? AdminAPI.pushesDefault
        let pushes = provider.port.lastPushes(max(0, count)).map(\.json)
        return .json("[" + pushes.joined(separator: ",\n") + "]\n")
    }

    private var faults: String {
        JSONText.object { json in
            for provider in Provider.allCases {
                guard let port = providers[provider]?.port else { continue }
                let rules = port.faults.sorted { $0.key < $1.key }.map { FaultDocument.json($0.key, rule: $0.value) }
                json.member(provider.rawValue, json: "[" + rules.joined(separator: ",") + "]")
            }
        }
    }

    private func addFault(_ request: HTTPRequest) -> HTTPResponse {
        change(request) { provider, fields in
            guard let rule = FaultDocument.rule(fields) else { return nil }
            return .fault(provider, rule)
        }
    }

    private func changeConnections(_ request: HTTPRequest) -> HTTPResponse {
        change(request) { .connections($0, ConnectionChange(fields: $1)) }
    }

    private func changeCredentials(_ request: HTTPRequest) -> HTTPResponse {
        change(request) { .credentials($0, CredentialChange(fields: $1)) }
    }

    private enum Change {
        case fault(SimulatedProvider, FaultRule)
        case connections(SimulatedProvider, ConnectionChange)
        case credentials(SimulatedProvider, CredentialChange)
    }

    /// Reads a document that names its provider.
    private func change(
        _ request: HTTPRequest, read: (SimulatedProvider, JSONFields) -> Change?
    ) -> HTTPResponse {
        AdminDocument.read(request) { fields in
            let names = Provider.allCases.map(\.rawValue).joined(separator: ", ")
            let provider = fields.text("provider", expected: "one of \(names)", isRequired: true) {
                Provider(rawValue: $0).flatMap { providers[$0] }
            }
            return provider.flatMap { read($0, fields) }
        } perform: { change in
            perform(change)
        }
    }

    private func perform(_ change: Change) -> HTTPResponse {
        switch change {
        case .fault(let provider, let rule):
            guard let number = provider.port.addFault(rule) else {
                return Problem(.conflict, detail: "at most \(FaultBook.rulesMaximum) faults are allowed").response()
            }
            return .json(FaultDocument.json(number, rule: rule) + "\n", status: .created)
        case .connections(let provider, let change): change.apply(to: provider.server)
        case .credentials(let provider, let change): provider.port.changeCredentials(change)
        }
        return HTTPResponse(.noContent)
    }

    private func provider(of request: HTTPRequest) -> SimulatedProvider? {
        Provider(rawValue: request.parameter("provider")).flatMap { providers[$0] }
    }

    private static var unknownProvider: HTTPResponse {
        let names = Provider.allCases.map(\.rawValue).joined(separator: ", ")
        return Problem(.notFound, detail: "unknown provider; expected one of \(names)").response()
    }
}
