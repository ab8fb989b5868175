import Testing

@testable import HTTPServer

@Suite struct RequestTargetTests {
    private func read(_ text: String) -> RequestTarget? {
        Array(text.utf8).withUnsafeBytes { RequestTarget($0) }
    }

    @Test(arguments: [
        ("/", [""], ""), ("/a/b?c=d?e", ["a", "b"], "c=d?e"), ("/a%2fb/", ["a/b", ""], ""), ("/%C3%A4", ["ä"], ""),
        ("HTTP://host:80", [""], ""), ("http://host?x", [""], "x"), ("https://host/a", ["a"], ""),
    ])
    func isTakenApart(text: String, segments: [String], query: String) {
        let target = read(text)
        #expect(target?.segments == segments)
        #expect(target?.query == query)
    }

    @Test(arguments: [
        "", "a", "host:443", "ftp://host/", "http:///a", "/%", "/%4", "/%zz", "/%00", "/%ff", "/a#b", "/\u{7F}",
        String(repeating: "/a", count: 65),
    ])
    func malformedOnesAreRefused(text: String) {
        #expect(read(text) == nil)
    }

    @Test func theStarHasNoPath() throws {
        let target = try #require(read("*"))
        #expect(target.segments == nil)
    }
}
