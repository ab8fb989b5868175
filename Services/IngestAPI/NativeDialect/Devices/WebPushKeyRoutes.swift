import Apps
import HTTPServer
import PushModel
import ServiceKit

/// `/v1/web-push-key`: the key with which a page subscribes its browser (`applicationServerKey`). It is public, and any
/// key of the app reads it.
struct WebPushKeyRoutes: Sendable {
    var routes: [DialectRoute] {
        [
            DialectRoute(
                method: .get, pattern: "/v1/web-push-key", scopes: Scope.allCases, query: [], allowsPublicKeys: true,
                handler: .appInPath(read))
        ]
    }

    @Sendable func read(_ call: AuthorizedRequest) throws -> HTTPResponse {
        guard let key = call.caller.app.webPushPublicKey else { throw TaskError.noWebPushKey }
        return .json(JSONText.object { $0.member("public_key", Base64URL.encode(key)) })
    }
}
