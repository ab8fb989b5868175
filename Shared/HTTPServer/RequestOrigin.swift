/// Detects requests from web pages of another site. A browser sends a page's requests from the visitor's address, so
/// the scopes of that address must not apply to every page opened there.
package enum RequestOrigin {
    package static func isForeign(_ request: HTTPRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" { return true }
        guard let origin = request.headers["Origin"] else { return false }
        let host = request.headers["Host"] ?? ""
        return !["http://", "https://"].contains { origin.lowercased() == $0 + host.lowercased() }
    }
}
