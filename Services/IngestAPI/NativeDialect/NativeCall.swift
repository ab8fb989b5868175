import Apps
import HTTPServer
import JSONKit
import PushModel

/// A request that was let through to an app.
struct NativeCall: Sendable {
    let request: HTTPRequest
    let admission: Admission
    /// What paths to this app begin with, where the request chose it by its path.
    let base: String

    var app: AppID { admission.app.id }

    /// Reads the body with everything that is wrong with it gathered, and refuses it then.
    func read<Value>(_ read: (JSONFields) throws -> Value) throws -> Value {
        let problems = JSONProblems()
        let value = try read(try JSONBody.fields(request, problems))
        guard problems.all.isEmpty else { throw TaskRefusal.invalid(problems.all) }
        return value
    }
}
