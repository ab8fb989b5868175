import Apps
import HTTPServer
import JSONKit
import PushModel

/// A request that was let through to an app.
struct NativeCall: Sendable {
    let request: HTTPRequest
    let admission: AuthorizedCaller
    /// What paths to this app begin with, where the request chose it by its path.
    let base: String
    let reading: BodyReading

    var app: AppID { admission.app.id }

    /// Reads the body with everything that is wrong with it gathered, and refuses it then.
    func read<Value: Sendable>(_ read: @escaping @Sendable (JSONFields) throws -> Value) async throws -> Value {
        try await reading.read(request, account: admission.account) { [request] in
            let problems = JSONProblems()
            let value = try read(try JSONBody.fields(request, problems: problems))
            guard problems.all.isEmpty else { throw TaskError.invalid(problems.all) }
            return value
        }
    }
}
