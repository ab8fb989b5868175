import HTTPServer
import Signing

/// A file of the console's page.
struct ConsoleFile: Sendable {
    enum MediaType: String {
        case html = "text/html; charset=utf-8"
        case css = "text/css; charset=utf-8"
        case javaScript = "text/javascript; charset=utf-8"
        case svg = "image/svg+xml"
    }

    let path: String
    private let type: MediaType
    private let bytes: [UInt8]
    private let entityTag: EntityTag

    init(path: String, type: MediaType, bytes: [UInt8]) {
        self.path = path
        self.type = type
        self.bytes = bytes
        entityTag = EntityTag(of: bytes)
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let headers = ConsoleHeaders.all + [HTTPField("Cache-Control", "no-cache"), HTTPField("ETag", entityTag.text)]
        guard !entityTag.isKnown(to: request) else { return HTTPResponse(304, headers: headers) }
        return HTTPResponse(
            .ok, headers: headers + [HTTPField("Content-Type", type.rawValue)], body: .bytes(bytes))
    }
}
