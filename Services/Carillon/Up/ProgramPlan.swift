/// One of the programs of `carillon up`: how it is started, and how it says that it is ready.
struct ProgramPlan: Sendable {
    enum Readiness: Sendable {
        /// It prints a line.
        case line(@Sendable (String) -> Bool)
        /// This address answers 200.
        case address(String)
    }

    let name: String
    let path: String
    var arguments: [String] = []
    /// Asked at every start: some of it is known only when other programs are ready.
    let environment: @Sendable () -> [String: String]
    let readiness: Readiness
    /// Where people find it.
    let url: String
    /// Where it tells of itself, in plain HTTP; nil where it does not.
    var admin: String?
    var dialect = LogRemark.Dialect.service
}
