/// What a server answered.
package struct HTTPClientResponse: Sendable, Equatable {
    package let status: Int
    package let headers: [HTTPClientRequest.Header]
    package let body: [UInt8]
    /// The body was longer than what was to be kept of it.
    package let isCut: Bool

    package init(
        status: Int, headers: [HTTPClientRequest.Header] = [], body: [UInt8] = [], isCut: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isCut = isCut
    }

    /// The first value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
