import Apps
import HTTPServer
import PushModel
import ServiceKit
import Store
import TaskKit

/// The calls of Pushwoosh's SDK, at the paths of both of its versions. A device is known by its `hwid`, which proves
/// nothing: anyone who learns it could name it. So these calls are for private keys only.
struct PushwooshDevices: Sendable {
    private static let bases = ["/json/1.3", "/api/v2/device-api"]
    /// Of a device with a browser's subscription and its tags.
    private static let bodyBytesMaximum = 64 << 10

    let registry: any Registry
    let registration: DeviceRegistration
    let classes: DeviceClasses
    let tokens: ActivityTokens
    let reading: PushwooshReading

    var routes: [DialectRoute] {
        let calls: [(String, @Sendable (HTTPRequest, UnnamedCaller) async throws -> HTTPResponse)] = [
            ("registerDevice", register), ("unregisterDevice", unregister), ("registerUser", registerUser),
            ("setActivityPushToStartToken", setStartToken), ("setActivityToken", setActivityToken),
            ("messageDeliveryEvent", note), ("pushStat", note),
        ]
        return PushwooshDevices.bases.flatMap { base in
            calls.map { name, handler in
                DialectRoute(
                    method: .post, pattern: "\(base)/\(name)", scopes: [.register],
                    bodyBytesMaximum: PushwooshDevices.bodyBytesMaximum, handler: .appInBody(.pushwoosh, handler))
            }
        }
    }

    /// A repeat completes an interrupted request: the device of the hwid with another token is removed last.
    @Sendable func register(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (form, caller) = try await reading.read(request, of: unnamed) { [registration] fields, _ in
            PushwooshDeviceForm(fields, addresses: registration.addresses)
        }
        let older = try await devices(of: form.hwid, in: caller.app.id).filter { $0.device.token != form.token }
        var changes = form.changes
        if form.token.kind == .apns {
            for (type, token) in older.flatMap({ $0.device.startTokens.tokens }) { changes.startTokens[type] = token }
        }
        let new = try await registration.register(form.token, changes: changes, in: caller.app).registered
        for device in older {
            try await tokens.move(from: device.id, to: new, of: caller.app.id)
            _ = try await classes.remove(device, in: caller.app)
        }
        return PushwooshAnswer.done
    }

    @Sendable func unregister(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let read = try await reading.read(request, of: unnamed) { fields, _ in fields.hwid() }
        try await removeDevices(of: read.0, in: read.1.app)
        return PushwooshAnswer.done
    }

    private func removeDevices(of hwid: Alias, in app: PushApp) async throws {
        for device in try await devices(of: hwid, in: app.id) {
            // First: a repeated request must still find the device.
            try await tokens.removeAll(of: device.id, of: app.id)
            _ = try await classes.remove(device, in: app)
        }
    }

    @Sendable func registerUser(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (call, caller) = try await reading.read(request, of: unnamed) { fields, _ in
            let user = fields.user(isRequired: true)
            return fields.hwid().flatMap { hwid in user.map { (hwid: hwid, user: $0) } }
        }
        let found = try await devices(of: call.hwid, in: caller.app.id)
        guard !found.isEmpty else { throw PushwooshError.unknownDevice(hwid: call.hwid.value) }
        for device in found {
            let changes = DeviceChanges(aliases: [.externalUser: call.user])
            _ = try await registry.change(device.id, changes: changes, in: caller.app.id)
        }
        return PushwooshAnswer.done
    }

    /// An empty token removes the one that the device has.
    @Sendable func setStartToken(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (call, caller) = try await reading.read(request, of: unnamed) { fields, _ in
            let token = fields.activityToken("activity_push_to_start_token")
            return fields.hwid().flatMap { hwid in token.map { (hwid: hwid, token: $0) } }
        }
        let device = try await phone(call.hwid, in: caller.app.id)
        var changes = DeviceChanges()
        changes.startTokens[.any] = .some(call.token.token)
        _ = try await registry.change(device.id, changes: changes, in: caller.app.id)
        return PushwooshAnswer.done
    }

    /// An empty token says that the activity is over on the device.
    @Sendable func setActivityToken(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (call, caller) = try await reading.read(request, of: unnamed) { fields, _ in
            PushwooshTokenForm(fields)
        }
        let device = try await phone(call.hwid, in: caller.app.id)
        if let token = call.token {
            try await tokens.register(token, for: call.activity, on: device, of: caller.app, dialect: .pushwoosh)
        } else {
            try await tokens.remove(for: call.activity, on: device.id, of: caller.app.id)
        }
        return PushwooshAnswer.done
    }

    /// The SDK repeats the members `p` and `md` of a push of Pushwoosh's own, which pushes from here do not have, so
    /// there is nothing to count. An app reports receipts in the native API.
    @Sendable func note(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        _ = try await reading.read(request, of: unnamed) { fields, _ in fields.hwid() }
        return PushwooshAnswer.done
    }

    private func devices(of hwid: Alias, in app: AppID) async throws -> [RegisteredDevice] {
        try await DeviceBook(registry: registry).devices(of: hwid, in: app)
    }

    /// The iOS device of the hwid that was changed last.
    private func phone(_ hwid: Alias, in app: AppID) async throws -> RegisteredDevice {
        let phones = try await devices(of: hwid, in: app).filter { $0.device.token.kind == .apns }
        guard let last = phones.max(by: { $0.device.updated < $1.device.updated }) else {
            throw PushwooshError.unknownDevice(hwid: hwid.value)
        }
        return last
    }
}
