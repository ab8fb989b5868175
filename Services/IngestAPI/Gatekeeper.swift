import Apps
import HTTPServer
import PushModel

/// Lets a request through to one app, or says why not. How a refusal reads is the dialect's matter.
struct Gatekeeper: Sendable {
    enum Refusal: Error, Equatable {
        case unauthenticated
        case forbidden(Scope)
        case unknownApp
        case ambiguous([AppID])
    }

    typealias AccessQuery = @Sendable (_ presentedKey: String?, _ peer: String) -> Access

    private let access: AccessQuery

    init(access: @escaping AccessQuery) {
        self.access = access
    }

    /// `name` is the app as the path chooses it; nil takes the only one that is granted.
    func admit(_ request: HTTPRequest, toAppNamed name: String?, for scope: Scope) throws(Refusal) -> PushApp {
        let presented = PresentedKey.text(inAuthorization: request.headers["Authorization"])
        switch access(presented, request.peer).choose(name, scope) {
        case .app(let app): return app
        case .unauthenticated: throw .unauthenticated
        case .forbidden: throw .forbidden(scope)
        case .unknownApp: throw .unknownApp
        case .ambiguous(let apps): throw .ambiguous(apps)
        }
    }
}
