import ServiceKit

/// How the end of a request's body is determined.
///
/// If the header is ambiguous, a proxy in front may interpret it differently and treat the rest of the body as another
/// client's request. So ambiguous requests are rejected.
enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// The protocol itself delimits the body, as HTTP/2 does with its frames.
    case untilEnd

    static func decide(_ headers: HTTPHeaders, isHTTP11: Bool) -> Result<BodyFraming, RequestError> {
        let encodings = headers.values("transfer-encoding")
        let lengths = headers.values("content-length")
        guard encodings.isEmpty || lengths.isEmpty else {
            return .failure(.ambiguousLength("The request has both Content-Length and Transfer-Encoding."))
        }
        guard encodings.isEmpty else {
            guard isHTTP11, encodings.count == 1 else {
                return .failure(.ambiguousLength("Transfer-Encoding occurs twice or in an HTTP/1.0 request."))
            }
            return encodings[0].lowercased() == "chunked" ? .success(.chunked) : .failure(.unknownEncoding)
        }
        guard let first = lengths.first else { return .success(.none) }
        guard !first.isEmpty, first.utf8.allSatisfy(\.isASCIIDigit), let count = Int(first) else {
            return .failure(.ambiguousLength("Content-Length is not a non-negative integer."))
        }
        // Equal duplicates are unambiguous, and RFC 9112 permits treating them as one.
        guard lengths.allSatisfy({ $0 == first }) else {
            return .failure(.ambiguousLength("The request has different Content-Length values."))
        }
        return .success(count == 0 ? .none : .length(count))
    }
}
