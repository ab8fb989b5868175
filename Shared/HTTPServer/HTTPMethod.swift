/// A request method. Any token is valid; these are the ones the product uses.
package struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package static let delete = HTTPMethod(rawValue: "DELETE")
    package static let get = HTTPMethod(rawValue: "GET")
    package static let head = HTTPMethod(rawValue: "HEAD")
    package static let options = HTTPMethod(rawValue: "OPTIONS")
    package static let patch = HTTPMethod(rawValue: "PATCH")
    package static let post = HTTPMethod(rawValue: "POST")
    package static let put = HTTPMethod(rawValue: "PUT")

    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { rawValue }
}
