import Apps
import HTTPServer
import JSONKit

/// Reads requests whose body names their app in `application`. Some clients send JSON under the type of a form, so
/// their `Content-Type` is ignored.
struct PushwooshReading: Sendable {
    typealias Form<Value> = @Sendable (JSONFields, AuthorizedCaller) throws -> Value?

    let bodies: BodyReading

    /// A publisher's, whose key may be in `auth`. Authorization comes first: before it nothing but `auth` is looked at,
    /// and before the right in the app nothing but `application`. `form` returns nil only if it has added a problem.
    func read<Value: Sendable>(
        _ request: HTTPRequest, of caller: BodyKeyCaller, form: @escaping Form<Value>
    ) async throws -> PushwooshCall<Value> {
        try await bodies.readJSON(request, account: caller.account, ofAnyType: true) { document in
            let fields = document.value("request", expected: "an object") { $0 }
            let unnamed = try caller.authorize(key: PresentedKey.text(inQuery: fields?["auth"]?.text))
            guard let fields = document.object("request", isRequired: true) else {
                throw TaskError.invalid(document.problems.all)
            }
            fields.allow(["auth"])
            if fields.has("applications_group") {
                fields.reject("applications_group", message: "not supported; send a request for each application")
                throw TaskError.invalid(fields.problems.all)
            }
            return try PushwooshReading.read(fields, of: unnamed, form: form)
        }
    }

    /// An app's, with or without the envelope `request`.
    func read<Value: Sendable>(
        _ request: HTTPRequest, of unnamed: UnnamedCaller, form: @escaping Form<Value>
    ) async throws -> PushwooshCall<Value> {
        try await bodies.readJSON(request, account: unnamed.account, ofAnyType: true) { document in
            let fields = document.has("request") ? document.object("request") : document
            guard let fields else { throw TaskError.invalid(document.problems.all) }
            return try PushwooshReading.read(fields, of: unnamed, form: form)
        }
    }

    private static func read<Value: Sendable>(
        _ fields: JSONFields, of unnamed: UnnamedCaller, form: Form<Value>
    ) throws -> PushwooshCall<Value> {
        guard let application = fields.text("application", isRequired: true) else {
            throw TaskError.invalid(fields.problems.all)
        }
        let caller = try unnamed.name(application)
        guard let form = try form(fields, caller) else { throw TaskError.invalid(fields.problems.all) }
        return PushwooshCall(form: form, caller: caller)
    }
}

/// A request that is authorized and read. No tuple: the optimizer crashes on some functions that take one apart.
struct PushwooshCall<Form: Sendable>: Sendable {
    let form: Form
    let caller: AuthorizedCaller
}
