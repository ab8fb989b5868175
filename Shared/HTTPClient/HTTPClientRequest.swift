package import ServiceKit

/// One request to send. Its description omits path, headers and body, which hold tokens and keys.
package struct HTTPClientRequest: Sendable, CustomStringConvertible, CustomReflectable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        /// Without a body.
        case delete = "DELETE"
    }

    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The trust in a request's URL.
    package enum Destination: Sendable, Equatable {
        /// Set by the operator or this program: any address is allowed.
        case trusted
        /// Set by a third party: only addresses that the policy permits, checked when the connection is made.
        case untrusted(AddressPolicy)
    }

    package var method: Method
    /// `http` or `https`.
    package var url: String
    package var destination: Destination
    package var headers: [Header]
    package var body: [UInt8]
    /// From the call to the last byte of the response, queueing included; nil for the client's default.
    package var deadline: Duration?
    /// Limit of the response body to keep; nil for the client's default.
    package var responseBytesMaximum: Int?
    /// True if processing it twice does no harm. It is then resent, at most once, if a connection kept from an earlier
    /// request turns out to be dead; otherwise the outcome is unknown.
    package var isRepeatable: Bool

    package init(
        _ method: Method, url: String, to destination: Destination, headers: [Header] = [], body: [UInt8] = [],
        deadline: Duration? = nil, responseBytesMaximum: Int? = nil, isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.destination = destination
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.responseBytesMaximum = responseBytesMaximum
        self.isRepeatable = isRepeatable ?? (method == .get)
    }

    package var description: String { "\(method.rawValue) \(origin)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The URL up to its path, without user name and password.
    var origin: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return "a URL without a host" }
        let host = parts[2].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return "\(parts[0])//\(host.prefix { $0 != "?" && $0 != "#" })"
    }

    /// A flaw that libcurl would not detect: a control character ends a header and starts another, and a NUL hides the
    /// rest of a URL.
    var flaw: String? {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "the URL contains spaces or control characters"
        }
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(HTTPClientRequest.isNameByte) else {
                return "a header name is empty or contains invalid characters"
            }
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the header \(header.name) contains control characters"
            }
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
