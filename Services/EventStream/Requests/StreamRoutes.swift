import Apps
import HTTPServer
import PushModel
import ServiceKit

/// All routes of the public port, as pushd has them.
struct StreamRoutes: Sendable {
    private let hub: EventHub
    private let access: StreamAccess
    private let isReady: @Sendable () -> Bool
    private let refused: [SubscribeError.Reason: Counter]

    init(
        hub: EventHub, apps: @escaping @Sendable () -> AppSnapshot, isReady: @escaping @Sendable () -> Bool,
        metrics: Metrics, time: any TimeSource
    ) {
        self.hub = hub
        access = StreamAccess(apps: apps, time: time)
        self.isReady = isReady
        refused = Dictionary(
            uniqueKeysWithValues: SubscribeError.Reason.allCases.map {
                ($0, metrics.counter(.streamListenersRefused, labels: ["reason": $0.rawValue]))
            })
    }

    var router: HTTPRouter {
        var router = HTTPRouter()
        for base in ["", "/apps/:app"] {
            router.answerImmediately(.get, pattern: "\(base)/subscribe") { request in
                subscribe(request, toAppNamed: base.isEmpty ? nil : request.parameter("app"))
            }
            router.answerImmediately(.options, pattern: "\(base)/subscribe") { _ in StreamRoutes.preflight }
        }
        router.answerImmediately(.get, pattern: "/crossdomain.xml") { _ in StreamRoutes.crossDomainPolicy }
        router.answerImmediately(.get, pattern: "/status") { _ in
            HTTPResponse(isReady() ? .noContent : .serviceUnavailable)
        }
        return router
    }

    private func subscribe(_ request: HTTPRequest, toAppNamed name: String?) -> HTTPResponse {
        do throws(SubscribeError) {
            return try open(request, toAppNamed: name)
        } catch {
            refused[error.reason]?.increment()
            return error.response
        }
    }

    private func open(_ request: HTTPRequest, toAppNamed name: String?) throws(SubscribeError) -> HTTPResponse {
        let right = try access.right(request, toAppNamed: name)
        let wish = try SubscribeRequest(request)
        for name in wish.names where !right.covers(name) { throw .notInTicket(name.text) }
        do throws(EventHub.Refusal) {
            let stream = try hub.open(right, names: wish.names, resuming: wish.resuming)
            let fields = right.isForAllOrigins ? [HTTPField("Access-Control-Allow-Origin", "*")] : []
            return HTTPResponse(.ok, headers: StreamRoutes.fields + fields, body: .stream(stream))
        } catch {
            throw .refused(error)
        }
    }

    /// Proxies are to pass on each event as it comes.
    private static let fields = [
        HTTPField("Content-Type", "text/event-stream"), HTTPField("Cache-Control", "no-cache"),
        HTTPField("X-Accel-Buffering", "no"),
    ]

    /// For every page: what a page may read depends on its ticket, and it may send no key.
    private static let preflight = HTTPResponse(
        .noContent,
        headers: [
            HTTPField("Access-Control-Allow-Origin", "*"), HTTPField("Access-Control-Allow-Methods", "GET"),
            HTTPField("Access-Control-Allow-Headers", "Cache-Control, Last-Event-ID"),
            HTTPField("Access-Control-Max-Age", "86400"),
        ])

    private static let crossDomainPolicy = HTTPResponse(
        .ok, headers: [HTTPField("Content-Type", "application/xml")],
        body: .bytes(
            Array(
                """
                <?xml version="1.0"?>
                <!DOCTYPE cross-domain-policy SYSTEM "http://www.macromedia.com/xml/dtds/cross-domain-policy.dtd">
                <cross-domain-policy>
                    <site-control permitted-cross-domain-policies="master-only"/>
                    <allow-access-from domain="*" secure="false"/>
                    <allow-http-request-headers-from domain="*" headers="Accept"/>
                </cross-domain-policy>

                """.utf8)))
}
