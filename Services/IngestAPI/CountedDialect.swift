import HTTPServer

/// A dialect whose refusals are counted.
struct CountedDialect: Dialect {
    let dialect: any Dialect
    let refusals: RefusalMeters

    var routes: [DialectRoute] { dialect.routes }
    var spelling: HTTPRouter.Spelling { dialect.spelling }

    func refusal(_ error: any Error) -> HTTPResponse {
        refusals.note(error)
        return dialect.refusal(error)
    }

    func refusal(of problem: Problem) -> HTTPResponse { dialect.refusal(of: problem) }
}
