import Apps
import HTTPServer
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
