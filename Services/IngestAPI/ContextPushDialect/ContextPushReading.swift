import HTTPServer
import JSONKit

/// Reads requests whose body names their app in `bundle_id`.
struct ContextPushReading: Sendable {
    let bodies: BodyReading

    /// Authorization comes first: without a right in that app the rest of the body is not read. `form` is nil only if it
    /// has added a problem.
    func read<Form: Sendable>(
        _ request: HTTPRequest, of unnamed: UnnamedCaller,
        form: @escaping @Sendable (_ fields: JSONFields, _ bundle: String) -> Form?
    ) async throws -> (Form, AuthorizedCaller) {
        try await bodies.readJSON(request, account: unnamed.account) { fields in
            guard let bundle = fields.text("bundle_id", isRequired: true) else {
                throw TaskError.invalid(fields.problems.all)
            }
            let caller = try unnamed.name(bundle)
            guard let form = form(fields, bundle) else { throw TaskError.invalid(fields.problems.all) }
            return (form, caller)
        }
    }
}
