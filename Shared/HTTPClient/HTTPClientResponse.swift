/// A server's response.
package struct HTTPClientResponse: Sendable, Equatable {
    package let status: Int
    package let headers: [HTTPClientRequest.Header]
    package let body: [UInt8]
    /// The body exceeded the limit and was truncated.
    package let isCut: Bool

    package init(
        status: Int, headers: [HTTPClientRequest.Header] = [], body: [UInt8] = [], isCut: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isCut = isCut
    }

    /// The first value of a header; the name is case-insensitive.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
