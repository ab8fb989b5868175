/// A complete request header, before anything was decided about it.
struct RequestHead {
    let method: HTTPMethod
    let target: String
    let version: String
    let headers: HTTPHeaders
    let bytes: Int

    /// What follows from the header alone.
    struct Verdict {
        let target: RequestTarget
        let framing: BodyFraming
        /// The client waits to be invited before it sends the body.
        let expectsContinue: Bool
    }

    func check(bytesMaximum: Int) -> Result<Verdict, Refusal> {
        guard bytes <= bytesMaximum else { return .failure(.headerTooLarge(bytesMaximum: bytesMaximum)) }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            return .failure(.malformed("The protocol version is not HTTP/1.1 or HTTP/1.0."))
        }
        let isHTTP11 = version == "HTTP/1.1"
        guard method.rawValue.utf8.allSatisfy(HTTPToken.contains) else {
            return .failure(.malformed("The method is no token."))
        }
        if headers.malformedField != nil {
            return .failure(.malformed("A header field has a malformed name or value."))
        }
        let hosts = headers.values("host").count
        guard hosts == 1 || hosts == 0 && !isHTTP11 else {
            return .failure(.malformed("The request must have exactly one Host field."))
        }
        guard let target = RequestTarget(target), target.segments != nil || method == .options else {
            return .failure(.malformed("The request target is malformed."))
        }
        return BodyFraming.decide(headers, isHTTP11: isHTTP11).flatMap { framing in
            guard let expectation = headers["expect"] else {
                return .success(Verdict(target: target, framing: framing, expectsContinue: false))
            }
            guard expectation.lowercased() == "100-continue" else { return .failure(.unknownExpectation) }
            return .success(Verdict(target: target, framing: framing, expectsContinue: true))
        }
    }
}
