import HTTPServer

/// A script that web pages load from here, the same for every app. It holds no secret, so pages of every origin may
/// read it, without credentials.
struct BrowserScript: Sendable {
    static let all = [
        // The module that a page imports.
        BrowserScript(path: "/carillon.js", bytes: PackageResources.carillon_js),
        // Imported by the service worker of a page.
        BrowserScript(path: "/carillon-worker.js", bytes: PackageResources.carillon_worker_js),
    ]

    /// Browsers use a kept script for this time without asking; an update reaches every page and worker within it.
    private static let maximumAge = "max-age=600"

    let path: String
    private let bytes: [UInt8]
    private let entityTag: EntityTag

    private init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        entityTag = EntityTag(of: bytes)
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        // Browsers send this field only with the main script of a service worker, not with what it imports.
        guard !request.headers.contains("Service-Worker") else { return refusalAsWorker() }
        guard !entityTag.isKnown(to: request) else { return HTTPResponse(304, headers: fields) }
        let type = HTTPField("Content-Type", "text/javascript; charset=utf-8")
        return HTTPResponse(.ok, headers: fields + [type], body: .bytes(bytes))
    }

    /// A worker with this script of its own would control all pages of this address.
    private func refusalAsWorker() -> HTTPResponse {
        let line = "importScripts(\"https://push.example.com\(path)\")"
        return Problem(
            .forbidden,
            detail: """
                this address serves no service workers; put a file with the line \(line), with this address, on the \
                origin of your page and register that
                """
        ).response(headers: [HTTPField("X-Content-Type-Options", "nosniff")])
    }

    private var fields: [HTTPField] {
        [
            HTTPField("Access-Control-Allow-Origin", "*"),
            HTTPField("Cache-Control", "public, \(BrowserScript.maximumAge)"),
            HTTPField("Content-Security-Policy", "default-src 'none'; sandbox"),
            HTTPField("Cross-Origin-Resource-Policy", "cross-origin"),
            HTTPField("ETag", entityTag.text),
            // The answer to a service worker is another one.
            HTTPField("Vary", "Service-Worker"),
            HTTPField("X-Content-Type-Options", "nosniff"),
        ]
    }
}
