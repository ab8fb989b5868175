import Apps
import HTTPServer
import PushModel
import ServiceKit

/// Who may listen to which app.
struct StreamAccess: Sendable {
    let apps: @Sendable () -> AppSnapshot
    let time: any TimeSource

    /// `name` is the app named in the path; nil selects the only one. A ticket in the query counts alone, then a key,
    /// then the caller's address.
    func right(_ request: HTTPRequest, toAppNamed name: String?) throws(SubscribeError) -> ListeningRight {
        let (apps, now) = (apps(), time.now)
        if let text = request.queryValue("ticket") {
            guard let (ticket, key) = apps.ticket(text, now: now) else { throw .unauthenticated }
            guard name == nil || name == ticket.app.text else { throw .unknownApp }
            return ListeningRight(app: ticket.app, basis: .ticket(ticket, of: key))
        }
        let presented = PresentedKey.text(inAuthorization: request.headers["Authorization"])
        let access = apps.access(presented: presented, peer: request.peer, now: now).ofPrivateKeys
        // A web page opened on an allowed machine calls from its address; only the machine itself has access.
        guard access.caller != .address || !RequestOrigin.isForeign(request) else { throw .unauthenticated }
        let app = try app(access.choose(name, scope: .listen))
        guard let id = access.keyID else { return ListeningRight(app: app, basis: .address(request.peer)) }
        guard let key = apps.holder(of: .listen, keyID: id, app: app, now: now) else { throw .unauthenticated }
        return ListeningRight(app: app, basis: .key(key))
    }

    private func app(_ choice: Access.Choice) throws(SubscribeError) -> AppID {
        switch choice {
        case .app(let app): return app.id
        case .unauthenticated: throw .unauthenticated
        case .forbidden: throw .noScope
        case .unknownApp: throw .unknownApp
        case .ambiguous(let apps): throw .ambiguous(apps.map(\.text))
        }
    }
}
