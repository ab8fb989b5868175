import Apps
import HTTPServer
import PushModel
import ServiceKit
import Store

/// AppMetrica's Push API, in which the number `app_id` selects the app. `docs/appmetrica.md` describes it.
struct AppMetricaDialect: Dialect {
    /// A query parameter that may hold the key.
    static let keyParameter = "oauth_token"

    let groups: GroupRoutes
    let transfers: TransferRoutes
    let log: RefusalLog

    var routes: [DialectRoute] { groups.routes + transfers.routes }

    func refusal(_ error: any Error) -> HTTPResponse {
        (error as? AppMetricaError ?? .task(TaskError(error, log: log))).response
    }

    func refusal(of problem: Problem) -> HTTPResponse {
        AppMetricaError.response(to: problem)
    }
}

extension DialectRoute {
    static func appMetrica(
        _ method: HTTPMethod, pattern: String, scopes: [Scope], query: [String] = [], bodyBytesMaximum: Int? = nil,
        handler: @escaping @Sendable (HTTPRequest, UnnamedCaller) async throws -> HTTPResponse
    ) -> DialectRoute {
        DialectRoute(
            method: method, pattern: pattern, scopes: scopes, query: query,
            keyParameter: AppMetricaDialect.keyParameter, bodyBytesMaximum: bodyBytesMaximum,
            handler: .appInBody(.appmetrica, handler))
    }
}
