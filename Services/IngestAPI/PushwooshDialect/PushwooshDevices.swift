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

    @Sendable func register(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let call = try await reading.read(request, of: unnamed) { [registration] fields, _ in
            PushwooshDeviceForm(fields, addresses: registration.addresses)
        }
        try await register(call.form, in: call.caller.app)
        return PushwooshAnswer.done
    }

    /// A repeat completes an interrupted request: the device of the hwid with another token is removed last.
    private func register(_ form: PushwooshDeviceForm, in app: PushApp) async throws {
        let known = try await devices(of: form.hwid, in: app.id)
        let older = PushwooshDevices.replaced(by: form.token, among: known)
        let changes = PushwooshDevices.changes(of: form, replacing: older)
        let registration = try await registration.register(form.token, changes: changes, in: app)
        for device in older { try await replace(device, by: registration.registered, in: app) }
    }

    private static func replaced(by token: PushToken, among known: [RegisteredDevice]) -> [RegisteredDevice] {
        known.filter { $0.device.token != token }
    }

    /// Tokens for starting activities stay valid.
    private static func changes(of form: PushwooshDeviceForm, replacing older: [RegisteredDevice]) -> DeviceChanges {
        var changes = form.changes
        guard form.token.kind == .apns else { return changes }
        for (type, token) in older.flatMap({ $0.device.startTokens.tokens }) { changes.startTokens[type] = token }
        return changes
    }

    private func replace(_ old: RegisteredDevice, by new: RegisteredDevice, in app: PushApp) async throws {
        try await tokens.move(from: old.id, to: new, of: app.id)
        _ = try await classes.remove(old, in: app)
    }

    @Sendable func unregister(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let call = try await reading.read(request, of: unnamed) { fields, _ in fields.hwid() }
        try await removeDevices(of: call.form, in: call.caller.app)
        return PushwooshAnswer.done
    }

    private func removeDevices(of hwid: Alias, in app: PushApp) async throws {
        for device in try await devices(of: hwid, in: app.id) {
            // First: a repeated request must still find the device.
            try await tokens.removeAll(of: device.id, of: app.id)
            _ = try await classes.remove(device, in: app)
        }
    }

    private struct NamedUser: Sendable {
        let hwid: Alias
        let user: String
    }

    @Sendable func registerUser(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let call = try await reading.read(request, of: unnamed) { fields, _ in
            let user = fields.user(isRequired: true)
            return fields.hwid().flatMap { hwid in user.map { NamedUser(hwid: hwid, user: $0) } }
        }
        try await name(call.form, in: call.caller.app.id)
        return PushwooshAnswer.done
    }

    private func name(_ named: NamedUser, in app: AppID) async throws {
        let found = try await devices(of: named.hwid, in: app)
        guard !found.isEmpty else { throw PushwooshError.unknownDevice(hwid: named.hwid.value) }
        for device in found {
            let changes = DeviceChanges(aliases: [.externalUser: named.user])
            _ = try await registry.change(device.id, changes: changes, in: app)
        }
    }

    private struct StartToken: Sendable {
        let hwid: Alias
        /// Nil removes it.
        let token: PushToken?
    }

    /// An empty token removes the one that the device has.
    @Sendable func setStartToken(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let call = try await reading.read(request, of: unnamed) { fields, _ in
            let given = fields.activityToken("activity_push_to_start_token")
            return fields.hwid().flatMap { hwid in given.map { StartToken(hwid: hwid, token: $0.token) } }
        }
        let app = call.caller.app.id
        let device = try await phone(call.form.hwid, in: app)
        var changes = DeviceChanges()
        changes.startTokens[.any] = .some(call.form.token)
        _ = try await registry.change(device.id, changes: changes, in: app)
        return PushwooshAnswer.done
    }

    /// An empty token says that the activity is over on the device.
    @Sendable func setActivityToken(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let call = try await reading.read(request, of: unnamed) { fields, _ in PushwooshTokenForm(fields) }
        try await set(call.form, in: call.caller.app)
        return PushwooshAnswer.done
    }

    private func set(_ form: PushwooshTokenForm, in app: PushApp) async throws {
        let device = try await phone(form.hwid, in: app.id)
        if let token = form.token {
            try await tokens.register(token, for: form.activity, on: device, of: app, dialect: .pushwoosh)
        } else {
            try await tokens.remove(for: form.activity, on: device.id, of: app.id)
        }
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
