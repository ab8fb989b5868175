/// Finds the handler of a request by method and path: a tree of path segments, in which a literal segment takes
/// precedence over a matching `:name`.
package struct HTTPRouter: Sendable {
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    enum Match {
        case route(Route, parameters: [String: String])
        /// Rendered in the format of the path's API.
        case methodNotAllowed(allow: String, renderProblem: ProblemRenderer)
        case notFound
    }

    struct Route: Sendable {
        /// The route's name in metrics: the method and the pattern.
        let name: String
        let bodyBytesMaximum: Int?
        let renderProblem: ProblemRenderer
        let answering: Answering
        fileprivate let parameterNames: [String]
        /// Added to the server's own responses to one request.
        private(set) var headers: [HTTPField] = []

        func adding(_ headers: [HTTPField]) -> Route {
            guard !headers.isEmpty else { return self }
            var route = self
            route.headers += headers
            return route
        }
    }

    /// How the literal parts of a path are compared.
    package enum Spelling: Sendable {
        case exact
        /// Case is ignored, and a trailing slash is allowed, as in Express.
        case lenient
    }

    enum Answering: Sendable {
        /// On the server's own thread, before the body is read.
        case immediately(@Sendable (HTTPRequest) -> HTTPResponse)
        case admitted(HTTPAdmission.Decision)
    }

    /// Converts an error of the server itself to the format of a route's API.
    package typealias ProblemRenderer = @Sendable (Problem) -> HTTPResponse

    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        var parameter: [Node] = []
        var routes: [HTTPMethod: Route] = [:]
    }

    private var root = Node()
    /// The lenient routes again, with lower-case literals: searched if no route matches exactly.
    private var lenientRoot = Node()
    private(set) var routeNames: [String] = []

    package init() {}

    /// Adds a route without admission control. The pattern is a path such as `/apps/:app/tasks`; a `bodyBytesMaximum`
    /// replaces the server's.
    package mutating func on(
        _ method: HTTPMethod, pattern: String, bodyBytesMaximum: Int? = nil,
        renderProblem: @escaping ProblemRenderer = { $0.response() }, handler: @escaping Handler
    ) {
        let admission = HTTPAdmission.admitted(handler: handler)
        on(
            method, pattern: pattern, bodyBytesMaximum: bodyBytesMaximum, renderProblem: renderProblem,
            admit: { _ in admission })
    }

    /// Adds a route that admits or rejects a request by its head, before the body is read. `admit` runs on the server's
    /// thread and must not block.
    package mutating func on(
        _ method: HTTPMethod, pattern: String, spelling: Spelling = .exact, bodyBytesMaximum: Int? = nil,
        renderProblem: @escaping ProblemRenderer = { $0.response() }, admit: @escaping HTTPAdmission.Decision
    ) {
        precondition(
            bodyBytesMaximum ?? 0 <= HTTPServerConfiguration.routeBodyBytesMaximum,
            "the body limit of \(pattern) exceeds \(HTTPServerConfiguration.routeBodyBytesMaximum) bytes")
        add(
            method, pattern: pattern, spelling: spelling, bodyBytesMaximum: bodyBytesMaximum,
            renderProblem: renderProblem, answering: .admitted(admit))
    }

    /// Adds a route that the server's own thread answers, even while all other threads of the process are busy with
    /// handlers. The body is not read. `answer` must not block.
    package mutating func answerImmediately(
        _ method: HTTPMethod, pattern: String, answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) {
        add(
            method, pattern: pattern, spelling: .exact, bodyBytesMaximum: 0, renderProblem: { $0.response() },
            answering: .immediately(answer))
    }

    private mutating func add(
        _ method: HTTPMethod, pattern: String, spelling: Spelling, bodyBytesMaximum: Int?,
        renderProblem: @escaping ProblemRenderer, answering: Answering
    ) {
        precondition(pattern.hasPrefix("/"), "the pattern \(pattern) must start with a slash")
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let route = Route(
            name: "\(method) \(pattern)", bodyBytesMaximum: bodyBytesMaximum, renderProblem: renderProblem,
            answering: answering,
            parameterNames: segments.filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) })
        HTTPRouter.insert(route, method: method, segments: segments[...], into: &root)
        if spelling == .lenient {
            let segments = segments.map { $0.hasPrefix(":") ? $0 : Substring($0.lowercased()) }
            HTTPRouter.insert(route, method: method, segments: segments[...], into: &lenientRoot)
        }
        routeNames.append(route.name)
    }

    func match(_ method: HTTPMethod, segments: [String]) -> Match {
        var values: [String] = []
        let lenient = segments.last?.isEmpty == true ? segments.dropLast() : segments[...]
        guard
            let routes = HTTPRouter.find(segments[...], in: root, values: &values)
                ?? HTTPRouter.find(lenient, in: lenientRoot, values: &values, literal: { $0.lowercased() })
        else { return .notFound }
        // A GET handler also answers HEAD: the server omits the body.
        guard let route = routes[method] ?? (method == .head ? routes[.get] : nil) else {
            return HTTPRouter.methodNotAllowed(routes)
        }
        guard !values.isEmpty else { return .route(route, parameters: [:]) }
        let parameters = Dictionary(zip(route.parameterNames, values)) { _, last in last }
        return .route(route, parameters: parameters)
    }

    private static func insert(
        _ route: Route, method: HTTPMethod, segments: ArraySlice<Substring>, into node: inout Node
    ) {
        guard let segment = segments.first else {
            precondition(node.routes[method] == nil, "\(route.name) is registered twice")
            node.routes[method] = route
            return
        }
        if segment.hasPrefix(":") {
            if node.parameter.isEmpty { node.parameter.append(Node()) }
            insert(route, method: method, segments: segments.dropFirst(), into: &node.parameter[0])
        } else {
            insert(
                route, method: method, segments: segments.dropFirst(),
                into: &node.literals[String(segment), default: Node()])
        }
    }

    /// `literal` converts a path segment to the form in which literals are compared.
    private static func find(
        _ segments: ArraySlice<String>, in node: Node, values: inout [String],
        literal: (String) -> String = { $0 }
    ) -> [HTTPMethod: Route]? {
        guard let segment = segments.first else { return node.routes.isEmpty ? nil : node.routes }
        if let next = node.literals[literal(segment)],
            let found = find(segments.dropFirst(), in: next, values: &values, literal: literal)
        {
            return found
        }
        // A parameter does not match an empty segment.
        guard let next = node.parameter.first, !segment.isEmpty else { return nil }
        values.append(segment)
        if let found = find(segments.dropFirst(), in: next, values: &values, literal: literal) { return found }
        values.removeLast()
        return nil
    }

    private static func methodNotAllowed(_ routes: [HTTPMethod: Route]) -> Match {
        // Routes of one path are of one API; if they are not, the choice is the same for each request.
        guard let first = routes.min(by: { $0.key.rawValue < $1.key.rawValue })?.value else { return .notFound }
        return .methodNotAllowed(allow: allowed(by: routes), renderProblem: first.renderProblem)
    }

    private static func allowed(by routes: [HTTPMethod: Route]) -> String {
        var methods = Set(routes.keys.map(\.rawValue))
        methods.insert(HTTPMethod.options.rawValue)
        if methods.contains(HTTPMethod.get.rawValue) { methods.insert(HTTPMethod.head.rawValue) }
        return methods.sorted().joined(separator: ", ")
    }
}
