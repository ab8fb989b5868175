import HTTPServer

/// Whether a request comes from a page of another site. Browsers send what a page asks for from the visitor's address,
/// so that rights which an address has must not be lent to any page that is opened there.
enum RequestOrigin {
    static func isForeign(_ request: HTTPRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" { return true }
        guard let origin = request.headers["Origin"] else { return false }
        let host = request.headers["Host"] ?? ""
        return !["http://", "https://"].contains { origin.lowercased() == $0 + host.lowercased() }
    }
}
