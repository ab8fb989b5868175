import ServiceKit

/// An error in the format of RFC 9457, `application/problem+json`.
package struct Problem: Sendable, Equatable {
    package var status: HTTPStatus
    package var type: String
    package var title: String
    package var detail: String

    package init(_ status: HTTPStatus, type: String = "about:blank", title: String? = nil, detail: String) {
        self.status = status
        self.type = type
        self.title = title ?? status.title
        self.detail = detail
    }

    package func response(headers: [HTTPField] = []) -> HTTPResponse {
        let text = JSONText.object { json in
            json.member("type", type)
            json.member("title", title)
            json.member("status", status.code)
            json.member("detail", detail)
        }
        return HTTPResponse(
            status, headers: [HTTPField("Content-Type", "application/problem+json")] + headers,
            body: .bytes(Array(text.utf8)))
    }
}
