import Testing

@testable import HTTPServer

@Suite struct HTTPRouterTests {
    private func router() -> HTTPRouter {
        var router = HTTPRouter()
        for (method, pattern) in [
            (HTTPMethod.get, "/apps/:app"), (.get, "/apps/list"), (.post, "/apps/:app/tasks"), (.delete, "/apps/:app"),
        ] {
            router.on(method, pattern) { _ in .text(pattern) }
        }
        return router
    }

    private func matched(_ method: HTTPMethod, _ segments: String...) -> (name: String, parameters: [String: String])? {
        guard case .route(let route, let parameters) = router().match(method, segments) else { return nil }
        return (route.name, parameters)
    }

    @Test func aNameTakesOneSegment() {
        let match = matched(.post, "apps", "one", "tasks")
        #expect(match?.name == "POST /apps/:app/tasks")
        #expect(match?.parameters == ["app": "one"])
    }

    @Test func aLiteralWinsOverAName() {
        #expect(matched(.get, "apps", "list")?.name == "GET /apps/list")
    }

    /// The literal branch has no `tasks`, so the search goes back to the name.
    @Test func aLiteralThatLeadsNowhereDoesNotHideAName() {
        #expect(matched(.post, "apps", "list", "tasks")?.parameters == ["app": "list"])
    }

    @Test func getAnswersHead() {
        #expect(matched(.head, "apps", "one")?.name == "GET /apps/:app")
    }

    @Test func anEmptySegmentIsNoName() {
        #expect(matched(.get, "apps", "") == nil)
    }

    @Test func anotherMethodIsToldWhatIsAllowed() {
        guard case .methodNotAllowed(let allow) = router().match(.put, ["apps", "one"]) else {
            Issue.record("matched")
            return
        }
        #expect(allow == "DELETE, GET, HEAD, OPTIONS")
    }
}
