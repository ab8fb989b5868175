/// The bytes of a request's body. They count against the server's bound for as long as this object lives, so pass the
/// object on rather than a copy of its bytes when work outlasts the handler.
package final class HTTPRequestBody: Sendable {
    package static let empty = HTTPRequestBody([])

    package let bytes: [UInt8]
    private let budget: BodyBudget?

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        budget = nil
    }

    /// Takes over the reservation of `bytes.count` bytes that `budget` gave.
    init(_ bytes: [UInt8], reservedFrom budget: BodyBudget) {
        self.bytes = bytes
        self.budget = budget
    }

    deinit {
        budget?.release(bytes.count)
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
