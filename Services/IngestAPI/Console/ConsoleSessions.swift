import Apps
import HTTPServer
import ServiceKit

/// Sessions of the console in requests: a cookie that scripts cannot read, and for changes a token that other pages
/// cannot know.
struct ConsoleSessions: Sendable {
    static let tokenField = "Carillon-CSRF"
    /// No browser knows this scheme, so that none asks for a password, as it would for `Basic`.
    static let challenge = "Carillon-Session realm=\"carillon\""
    /// Longer than a session, so that an ended one is told from none.
    private static let cookieSeconds = 30 * 86_400
    private static let cookie = "carillon_session"
    /// With this prefix a browser takes the cookie over TLS only, and from this host only.
    private static let secureCookie = "__Host-\(cookie)"

    let apps: @Sendable () -> AppSnapshot
    let time: any TimeSource
    /// True if the public port accepts TLS only.
    let isSecure: Bool

    /// True for requests of the console's page, also without a session.
    func isMeant(by request: HTTPRequest) -> Bool {
        request.headers.contains(ConsoleSessions.tokenField) || ConsoleSessions.text(in: request) != nil
    }

    /// The session of a request from a page of this origin; a change also needs the session's token.
    func admit(_ request: HTTPRequest) throws(Gatekeeper.AccessError) -> SignedInAccess {
        guard let text = ConsoleSessions.text(in: request), !RequestOrigin.isForeign(request),
            let signedIn = apps().signedIn(text, now: time.now)
        else { throw .signedOut }
        guard request.method == .get || request.method == .head || isToken(of: signedIn, in: request) else {
            throw .noSessionToken
        }
        return signedIn
    }

    /// Nil for a key that may not sign in.
    func signIn(_ key: String) -> (text: String, access: SignedInAccess)? {
        apps().signIn(key, now: time.now)
    }

    func newCookie(_ text: String, for request: HTTPRequest) -> HTTPField {
        cookie(text, seconds: ConsoleSessions.cookieSeconds, for: request)
    }

    func removedCookie(for request: HTTPRequest) -> HTTPField {
        cookie("", seconds: 0, for: request)
    }

    private func cookie(_ value: String, seconds: Int, for request: HTTPRequest) -> HTTPField {
        let secure = isSecure || ConsoleSessions.isOverTLS(request)
        let name = secure ? ConsoleSessions.secureCookie : ConsoleSessions.cookie
        let attributes = "Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(secure ? "; Secure" : "")"
        return HTTPField("Set-Cookie", "\(name)=\(value); \(attributes)")
    }

    private func isToken(of signedIn: SignedInAccess, in request: HTTPRequest) -> Bool {
        guard let presented = request.headers[ConsoleSessions.tokenField] else { return false }
        return signedIn.isToken(presented)
    }

    /// Behind a proxy that ends TLS, the browser's `Origin` still names the scheme.
    private static func isOverTLS(_ request: HTTPRequest) -> Bool {
        request.headers["Origin"]?.utf8.starts(with: "https://".utf8) == true
    }

    /// The first session of the cookies; that over TLS alone comes first, as no other host can set it.
    private static func text(in request: HTTPRequest) -> String? {
        let cookies = request.headers.values("Cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        return value(of: secureCookie, in: cookies) ?? value(of: cookie, in: cookies)
    }

    private static func value(of name: String, in cookies: [Substring.UTF8View]) -> String? {
        for cookie in cookies {
            let trimmed = cookie.drop { $0 == UInt8(ascii: " ") }
            guard trimmed.starts(with: "\(name)=".utf8) else { continue }
            return OutsideText.string(trimmed.dropFirst(name.utf8.count + 1))
        }
        return nil
    }
}
