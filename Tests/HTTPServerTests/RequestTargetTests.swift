import Testing

@testable import HTTPServer

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/", [""], ""), ("/a/b?c=d?e", ["a", "b"], "c=d?e"), ("/a%2fb/", ["a/b", ""], ""), ("/%C3%A4", ["ä"], ""),
        ("HTTP://host:80", [""], ""), ("http://host?x", [""], "x"), ("https://host/a", ["a"], ""),
    ])
    func isTakenApart(text: String, segments: [String], query: String) {
        let target = RequestTarget(text)
        #expect(target?.segments == segments)
        #expect(target?.query == query)
    }

    @Test(arguments: [
        "", "a", "host:443", "ftp://host/", "http:///a", "/%", "/%4", "/%zz", "/%00", "/%ff", "/a#b", "/\u{7F}",
    ])
    func malformedOnesAreRefused(text: String) {
        #expect(RequestTarget(text) == nil)
    }

    @Test func theStarHasNoPath() throws {
        let target = try #require(RequestTarget("*"))
        #expect(target.segments == nil)
    }
}
