import HTTPServer
import PushModel
import Signing

/// The `ETag` of content that changes only with the program.
struct EntityTag: Sendable {
    let text: String

    init(of bytes: [UInt8]) {
        text = "\"\(Base64URL.encode(Array(SHA256.digest(of: bytes).prefix(16))))\""
    }

    /// The weak comparison of RFC 9110, 13.1.2.
    func isKnown(to request: HTTPRequest) -> Bool {
        request.headers.values("If-None-Match").contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { element in
                let tag = element.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
                return tag.elementsEqual("*".utf8) || tag.elementsEqual(text.utf8)
                    || tag.elementsEqual("W/\(text)".utf8)
            }
        }
    }
}
