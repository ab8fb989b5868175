import Apps
import HTTPServer
import JSONKit
import PushModel

/// An authorized request to an app.
struct NativeCall: Sendable {
    let request: HTTPRequest
    let caller: AuthorizedCaller
    /// Prefix of paths to this app if the request named it in the path; otherwise empty.
    let base: String
    let reading: BodyReading

    var app: AppID { caller.app.id }

    /// Reads the body, collecting all errors, and throws if there are any.
    func read<Value: Sendable>(_ read: @escaping @Sendable (JSONFields) throws -> Value) async throws -> Value {
        try await reading.read(request, account: caller.account) { [request] in
            let problems = JSONProblems()
            let value = try read(try JSONBody.fields(request, problems: problems))
            guard problems.all.isEmpty else { throw TaskError.invalid(problems.all) }
            return value
        }
    }
}
