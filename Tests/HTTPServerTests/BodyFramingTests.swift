import Testing

@testable import HTTPServer

@Suite struct BodyFramingTests {
    @Test(arguments: [
        (HTTPHeaders(["Host": "a"]), BodyFraming.none),
        (HTTPHeaders(["content-length": "0"]), .none),
        (HTTPHeaders(["Content-Length": "5"]), .length(5)),
        (HTTPHeaders(["Content-Length": "5", "content-length": "5"]), .length(5)),
        (HTTPHeaders(["Transfer-Encoding": "Chunked"]), .chunked),
    ])
    func findsTheEndOfTheBody(headers: HTTPHeaders, expected: BodyFraming) {
        #expect(BodyFraming.decide(headers, isHTTP11: true) == .success(expected))
    }

    @Test(arguments: [
        HTTPHeaders(["Content-Length": "5", "Transfer-Encoding": "chunked"]),
        HTTPHeaders(["Content-Length": "5", "Content-Length": "6"]),
        HTTPHeaders(["Content-Length": "5, 5"]), HTTPHeaders(["Content-Length": "+5"]),
        HTTPHeaders(["Content-Length": ""]), HTTPHeaders(["Content-Length": "99999999999999999999"]),
        HTTPHeaders(["Transfer-Encoding": "chunked", "transfer-encoding": "chunked"]),
    ])
    func refusesWhatTwoServersMayReadDifferently(headers: HTTPHeaders) {
        guard case .failure(.ambiguousLength) = BodyFraming.decide(headers, isHTTP11: true) else {
            Issue.record("accepted")
            return
        }
    }

    @Test func refusesChunksFromAClientThatCannotKnowThem() {
        let headers = HTTPHeaders(["Transfer-Encoding": "chunked"])
        #expect(throws: RequestError.self) { try BodyFraming.decide(headers, isHTTP11: false).get() }
    }

    @Test func refusesAnyOtherTransferEncoding() {
        let headers = HTTPHeaders(["Transfer-Encoding": "gzip, chunked"])
        #expect(BodyFraming.decide(headers, isHTTP11: true) == .failure(.unknownEncoding))
    }
}
