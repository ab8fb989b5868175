import HTTPServer

/// A publisher API: its routes, and the form of its errors. Everything behind it is shared: a dialect converts its
/// requests to `TaskDraft`s for `TaskSubmission`, or calls the registry.
protocol Dialect: Sendable {
    var routes: [DialectRoute] { get }
    /// How paths are compared with the routes' patterns.
    var spelling: HTTPRouter.Spelling { get }

    /// Renders any error of admission or of a handler.
    func refusal(_ error: any Error) -> HTTPResponse
    /// Renders an error of the server itself, such as a body over its limit.
    func refusal(of problem: Problem) -> HTTPResponse
}

extension Dialect {
    var spelling: HTTPRouter.Spelling { .exact }

    func refusal(of problem: Problem) -> HTTPResponse { problem.response() }
}
