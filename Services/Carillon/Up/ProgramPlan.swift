/// How a program of `carillon up` is started, and how it reports that it is ready.
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
    /// Evaluated at every start: parts of it are known only when other programs are ready.
    let environment: @Sendable () -> [String: String]
    let readiness: Readiness
    /// Address of the program for users.
    let url: String
    /// Admin address, in plain HTTP; nil if it has none.
    var admin: String?
    var dialect = LogRemark.Dialect.service
}
