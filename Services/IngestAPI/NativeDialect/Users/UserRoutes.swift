import Apps
import HTTPServer
import PushModel

/// `/v1/users/:user` and the route below it. A user exists only as a name of devices, so no user is unknown.
struct UserRoutes: Sendable {
    let book: DeviceBook
    let deletion: UserDeletion

    var routes: [DialectRoute] {
        let path = "/v1/users/:user"
        return [
            DialectRoute(
                method: .get, pattern: "\(path)/devices", scopes: [.read], query: [], handler: .appInPath(devices)),
            DialectRoute(method: .delete, pattern: path, scopes: [.admin], query: [], handler: .appInPath(delete)),
        ]
    }

    @Sendable func devices(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let user = try Alias(user: call.request.parameter("user"))
        return NativeDeviceAnswer.list(try await book.devices(of: user, in: call.app))
    }

    @Sendable func delete(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let user = try Alias(user: call.request.parameter("user"))
        return .json(try await deletion.delete(user, of: call.caller.app).text)
    }
}
