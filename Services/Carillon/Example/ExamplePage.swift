import HTTPServer

/// The page of `docs/web-push`, with the address of an API and a key in place of the sample's. It is served from a
/// port, and so from an origin, of its own, as a publisher's page is.
struct ExamplePage: Sendable {
    static let port: UInt16 = 8082
    /// What the files contain.
    private static let sampleAddress = "https://push.example.com"
    private static let sampleKey = "PUBLIC_KEY"

    private struct File: Sendable {
        let pattern: String
        let type: String
        let bytes: [UInt8]
    }

    private static let files = [
        File(pattern: "/", type: "text/html", bytes: PackageResources.index_html),
        File(pattern: "/style.css", type: "text/css", bytes: PackageResources.style_css),
        File(pattern: "/app.js", type: "text/javascript", bytes: PackageResources.app_js),
        File(pattern: "/carillon-worker.js", type: "text/javascript", bytes: PackageResources.carillon_worker_js),
    ]

    let api: String
    let key: String

    var router: HTTPRouter {
        var router = HTTPRouter()
        for file in ExamplePage.files {
            let response = response(file)
            router.on(.get, pattern: file.pattern) { _ in response }
        }
        return router
    }

    private func response(_ file: File) -> HTTPResponse {
        let text = String(decoding: file.bytes, as: UTF8.self)
            .replacing(ExamplePage.sampleAddress, with: api).replacing(ExamplePage.sampleKey, with: key)
        return HTTPResponse(
            .ok,
            headers: [
                HTTPField("Content-Type", "\(file.type); charset=utf-8"),
                HTTPField("Content-Security-Policy", policy),
                // The key and the address may be others after the next start.
                HTTPField("Cache-Control", "no-store"),
                HTTPField("X-Content-Type-Options", "nosniff"),
            ], body: .bytes(Array(text.utf8)))
    }

    /// The strictest policy with which the client works.
    private var policy: String {
        "default-src 'none'; script-src 'self' \(api); connect-src \(api); style-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
    }
}
