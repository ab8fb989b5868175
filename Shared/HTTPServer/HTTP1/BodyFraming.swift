/// How the end of a request's body is found.
///
/// Where a header leaves it open, a proxy in front may decide otherwise than this server and take the rest of the body for
/// another client's request. So anything ambiguous is refused.
enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// The protocol tells, beside the header, as HTTP/2 does with its frames.
    case untilEnd

    static func decide(_ headers: HTTPHeaders, isHTTP11: Bool) -> Result<BodyFraming, RequestError> {
        let encodings = headers.values("transfer-encoding")
        let lengths = headers.values("content-length")
        guard encodings.isEmpty || lengths.isEmpty else {
            return .failure(.ambiguousLength("The request has both Content-Length and Transfer-Encoding."))
        }
        guard encodings.isEmpty else {
            guard isHTTP11, encodings.count == 1 else {
                return .failure(.ambiguousLength("Transfer-Encoding is given twice, or to HTTP/1.0."))
            }
            return encodings[0].lowercased() == "chunked" ? .success(.chunked) : .failure(.unknownEncoding)
        }
        guard let first = lengths.first else { return .success(.none) }
        guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(first) else {
            return .failure(.ambiguousLength("Content-Length is not a whole number."))
        }
        // Equal repeats say one thing, and RFC 9112 allows to take them as one.
        guard lengths.allSatisfy({ $0 == first }) else {
            return .failure(.ambiguousLength("The request has two Content-Lengths that differ."))
        }
        return .success(count == 0 ? .none : .length(count))
    }
}
