import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// `/v1/devices/:id/activities/:activity`: the app of a device reports the token of an activity that runs on it, or that
/// the activity is over there.
struct ActivityTokenRoutes: Sendable {
    private static let bodyBytesMaximum = 4 << 10

    let registry: any Registry
    let tokens: ActivityTokens
    let access: DeviceAccess
    let reading: BodyReading

    var routes: [DialectRoute] {
        let path = "/v1/devices/:id/activities/:activity"
        return [
            DialectRoute(
                method: .put, pattern: path, scopes: [.register], query: [], allowsPublicKeys: true,
                bodyBytesMaximum: ActivityTokenRoutes.bodyBytesMaximum, handler: .appInPath(register)),
            DialectRoute(
                method: .delete, pattern: path, scopes: [.register], query: [], allowsPublicKeys: true,
                handler: .appInPath(remove)),
        ]
    }

    @Sendable func register(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let id = try id(call)
        let token = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            let token = fields.checked("token", isRequired: true) { text throws(InvalidValueError) in
                try PushToken(.liveActivity, text: text)
            }
            fields.rejectUnknown()
            return token
        }
        guard let token else { throw TaskError.unexpected }
        return try await with(call) { device in
            try await tokens.register(token, for: id, on: device, of: call.caller.app, dialect: .native)
        }
    }

    @Sendable func remove(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let id = try id(call)
        return try await with(call) { device in
            try await tokens.remove(for: id, on: device.id, of: call.app)
        }
    }

    private func with(
        _ call: AuthorizedRequest, _ body: (RegisteredDevice) async throws -> Void
    ) async throws -> HTTPResponse {
        try await access.with(call.request.parameter("id"), of: call) { id in
            guard let device = try await registry.device(id, in: call.app), access.isPresented(device, in: call),
                device.device.token.kind == .apns
            else { return nil }
            try await body(device)
            return HTTPResponse(.noContent)
        }
    }

    private func id(_ call: AuthorizedRequest) throws -> ActivityID {
        do throws(InvalidValueError) {
            return try ActivityID(call.request.parameter("activity"))
        } catch {
            throw TaskError.invalidField("activity", message: error.description)
        }
    }
}
