import Apps
import HTTPServer
import PushModel
import ServiceKit
import Store

/// `/v1/devices` and the routes below it. A caller with a public key reaches only the device whose token it presents: in
/// the body of a registration, else in `Carillon-Device-Token`.
struct DeviceRoutes: Sendable {
    let registry: any Registry
    let devices: DeviceRegistration
    let classes: DeviceClasses
    let activities: ActivityTokens
    let access: DeviceAccess
    let reading: BodyReading
    let time: any TimeSource

    var routes: [DialectRoute] {
        let path = "/v1/devices"
        return [
            DialectRoute(
                method: .put, pattern: path, scopes: [.register], query: [], allowsPublicKeys: true,
                bodyBytesMaximum: DeviceFields.bodyBytesMaximum, handler: .appInPath(register)),
            DialectRoute(
                method: .get, pattern: path, scopes: [.read], query: DeviceQuery.names, handler: .appInPath(list)),
            DialectRoute(
                method: .get, pattern: "\(path)/:id", scopes: [.register, .read], query: [],
                allowsPublicKeys: true, handler: .appInPath(read)),
            DialectRoute(
                method: .delete, pattern: "\(path)/:id", scopes: [.register], query: [],
                allowsPublicKeys: true, handler: .appInPath(remove)),
        ]
    }

    /// Two steps: the device, then its subscriptions. A repeat completes an interrupted request.
    @Sendable func register(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let naming = DeviceNaming(call.caller, now: time.now)
        let given = try await reading.readJSON(call.request, account: call.caller.account) { [devices] fields in
            try NativeDeviceForm(fields, naming: naming, addresses: devices.addresses).description()
        }
        guard call.caller.publicKey == nil || given.token.kind.isForPublicKeys else {
            throw TaskError.invalidField("protocol", message: "not allowed with a public key")
        }
        let registration = try await devices.register(given.token, changes: given.changes, in: call.caller.app)
        let registered = registration.registered
        let topics = try await subscriptions(of: registered.id, wanted: given.topics, in: call.app)
        var response = NativeDeviceAnswer.device(registered, topics: topics)
        if registration.isNew { response.status = .created }
        response.headers.append(HTTPField("Location", "\(call.base)/v1/devices/\(registered.id)"))
        if let warning = MissingProviders(app: call.caller.app).warning(of: given.token.kind) {
            response.headers.append(HTTPField("Carillon-Warning", warning))
        }
        return response
    }

    @Sendable func list(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let book = DeviceBook(registry: registry)
        switch try DeviceQuery(call.request) {
        case .user(let user): return NativeDeviceAnswer.list(try await book.devices(of: user, in: call.app))
        case .token(let token): return NativeDeviceAnswer.list(try await book.device(of: token, in: call.app))
        }
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        try await access.with(call.request.parameter("id"), of: call) { id in
            guard let registered = try await registry.device(id, in: call.app),
                access.isPresented(registered, in: call),
                let topics = try await registry.subscriptions(of: id, in: call.app)
            else { return nil }
            return NativeDeviceAnswer.device(registered, topics: topics)
        }
    }

    @Sendable func remove(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        try await access.with(call.request.parameter("id"), of: call) { id in
            if call.caller.publicKey != nil {
                guard let registered = try await registry.device(id, in: call.app),
                    access.isPresented(registered, in: call)
                else { return nil }
            }
            // First: a repeated request must still find the device.
            try await activities.removeAll(of: id, of: call.app)
            return try await classes.remove(id, in: call.caller.app) ? HTTPResponse(.noContent) : nil
        }
    }

    /// The subscriptions of a device after a registration. Those that it has already are not written again: most apps
    /// register at each start.
    private func subscriptions(
        of id: DeviceID, wanted: [TopicName: SubscriptionOptions]?, in app: AppID
    ) async throws -> [TopicName: SubscriptionOptions] {
        guard let current = try await registry.subscriptions(of: id, in: app) else { throw DeviceRoutes.removed }
        guard let wanted, wanted != current else { return current }
        guard try await registry.setSubscriptions(of: id, to: wanted, in: app) else { throw DeviceRoutes.removed }
        return wanted
    }

    /// Another request removed the device in between; the client repeats the registration.
    private static let removed = StoreError(
        .unavailable, message: "the device was removed during its registration")
}
