import Testing

@testable import HTTPServer

@Suite struct HTTPRouterTests {
    private func router() -> HTTPRouter {
        var router = HTTPRouter()
        for (method, pattern) in [
            (HTTPMethod.get, "/apps/:app"), (.get, "/apps/list"), (.post, "/apps/:app/tasks"), (.delete, "/apps/:app"),
        ] {
            router.on(method, pattern: pattern) { _ in .text(pattern) }
        }
        return router
    }

    private func matched(_ method: HTTPMethod, segments: String...) -> (name: String, parameters: [String: String])? {
        guard case .route(let route, let parameters) = router().match(method, segments: segments) else { return nil }
        return (route.name, parameters)
    }

    @Test func aNameTakesOneSegment() {
        let match = matched(.post, segments: "apps", "one", "tasks")
        #expect(match?.name == "POST /apps/:app/tasks")
        #expect(match?.parameters == ["app": "one"])
    }

    @Test func aLiteralWinsOverAName() {
        #expect(matched(.get, segments: "apps", "list")?.name == "GET /apps/list")
    }

    /// The literal branch has no `tasks`, so the search backtracks to the parameter.
    @Test func aLiteralThatLeadsNowhereDoesNotHideAName() {
        #expect(matched(.post, segments: "apps", "list", "tasks")?.parameters == ["app": "list"])
    }

    /// As in Express: literals match in any case, a trailing slash is allowed. The value of a `:name` stays unchanged.
    @Test(arguments: ["/thing/Ab/list", "/thing/Ab/list/", "/THING/Ab/List", "/Thing/Ab/LIST/"])
    func aLenientPathHasMoreSpellings(path: String) {
        var router = router()
        router.on(.get, pattern: "/thing/:id/list", spelling: .lenient, admit: { _ in .refused(.text("")) })
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard case .route(let route, let parameters) = router.match(.get, segments: segments) else {
            Issue.record("\(path) is not found")
            return
        }
        #expect(route.name == "GET /thing/:id/list")
        #expect(parameters == ["id": "Ab"])
    }

    @Test(arguments: [["thing", "Ab", "list", "", ""], ["thing", "", "list"], ["", "thing", "Ab", "list"]])
    func aLenientPathHasNoEmptyPartsWithin(segments: [String]) {
        var router = router()
        router.on(.get, pattern: "/thing/:id/list", spelling: .lenient, admit: { _ in .refused(.text("")) })
        guard case .notFound = router.match(.get, segments: segments) else {
            Issue.record("\(segments) is found")
            return
        }
    }

    @Test func otherPathsAreExact() {
        #expect(matched(.get, segments: "Apps", "list") == nil)
        #expect(matched(.get, segments: "apps", "list", "") == nil)
    }

    @Test func getAnswersHead() {
        #expect(matched(.head, segments: "apps", "one")?.name == "GET /apps/:app")
    }

    @Test func anEmptySegmentIsNoName() {
        #expect(matched(.get, segments: "apps", "") == nil)
    }

    @Test func anotherMethodIsAnsweredWithTheAllowedOnes() {
        guard case .methodNotAllowed(let allow, _) = router().match(.put, segments: ["apps", "one"]) else {
            Issue.record("matched")
            return
        }
        #expect(allow == "DELETE, GET, HEAD, OPTIONS")
    }
}
