import Apps
import HTTPServer
import JSONKit
import PushModel
import Store
import TaskModel

/// `/subscribers` and `/subscriber/:id`: registration, updates and removal of devices.
struct SubscriberRoutes: Sendable {
    let registry: any Registry
    let devices: DeviceRegistration
    let classes: DeviceClasses
    let submission: TaskSubmission

    @Sendable func register(_ call: PushdCall) async throws -> HTTPResponse {
        let form = RegistrationForm(try await call.fields(), addresses: devices.addresses)
        return try await register(try form.token(), by: form, call: call)
    }

    @Sendable func read(_ call: PushdCall) async throws -> HTTPResponse {
        PushdAnswer.subscriber(try await registered(call))
    }

    /// The path holds a subscriber id or, in the documented workflow of apps, a registration token, which is
    /// registered.
    @Sendable func update(_ call: PushdCall) async throws -> HTTPResponse {
        let form = RegistrationForm(try await call.fields(), addresses: devices.addresses)
        guard let id = try call.subscriber else {
            guard let token = try form.token(fromPath: call.request.parameter("id")) else {
                throw PushdError.unknownSubscriber
            }
            return try await register(token, by: form, call: call)
        }
        try form.refuseToken()
        guard try await registry.change(id, changes: form.changes(), in: call.app) else {
            throw PushdError.unknownSubscriber
        }
        return HTTPResponse(.noContent)
    }

    @Sendable func remove(_ call: PushdCall) async throws -> HTTPResponse {
        guard let id = try call.subscriber, try await classes.remove(id, in: call.caller.app) else {
            throw PushdError.unknownSubscriber
        }
        return HTTPResponse(.noContent)
    }

    /// The message is pushd's.
    @Sendable func test(_ call: PushdCall) async throws -> HTTPResponse {
        let subscriber = try await registered(call)
        var draft = TaskDraft()
        draft.dialect = .pushd
        draft.entries = [.device(subscriber.id)]
        var message = PushMessage()
        message.body = LocalizedText("Test")
        message.data["test"] = .string("ok")
        message.badge = .increment
        draft.content.message = message
        draft.content.platforms = Set(Platform.allCases)
        draft.options.timeToLive = call.caller.app.defaults.timeToLive
        draft.timing.quietHours = .ignore
        draft.timing.cap = .ignore
        return try await submission.submit(
            call.request, of: call.caller, key: SubmissionKey(header: call.request), drafts: { _ in [draft] },
            answer: { tasks in
                HTTPResponse(.created, headers: [HTTPField("Location", "\(call.base)/v1/tasks/\(tasks[0].id)")])
            })
    }

    private func registered(_ call: PushdCall) async throws -> RegisteredDevice {
        guard let id = try call.subscriber else { throw PushdError.unknownSubscriber }
        let found = try await registry.device(id, in: call.app)
        guard let found else { throw PushdError.unknownSubscriber }
        return found
    }

    private func register(_ token: PushToken, by form: RegistrationForm, call: PushdCall) async throws -> HTTPResponse {
        let changes = try form.changes(registering: token)
        let registration = try await devices.register(token, changes: changes, in: call.caller.app)
        let warning = MissingProviders(app: call.caller.app).warning(of: token.kind)
        return PushdAnswer.registration(registration, base: call.base, warning: warning)
    }
}
