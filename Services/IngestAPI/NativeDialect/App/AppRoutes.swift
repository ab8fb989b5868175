import Apps
import HTTPServer
import TaskKit

/// `/v1/app`: what an app may do and how, for people who run it.
struct AppRoutes: Sendable {
    let outages: OutageView

    var routes: [DialectRoute] {
        [
            DialectRoute(
                method: .get, pattern: "/v1/app", scopes: [.read], query: [], handler: .appInPath(read))
        ]
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let answer = AppAnswer(
            app: call.caller.app, outages: await outages.outages(), showsKeys: call.caller.has(.admin))
        return .json(answer.text)
    }
}
