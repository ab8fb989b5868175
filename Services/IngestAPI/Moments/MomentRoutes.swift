import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import Topics

/// `/v1/moments`: an app reports whether now is a good moment for its user.
struct MomentRoutes: Sendable {
    private let moments: any UserMoments
    private let release: MomentRelease
    private let registry: any Registry
    private let devices: DeviceAccess
    private let room: StoreRoom
    private let reading: BodyReading
    private let time: any TimeSource
    private let meters: MomentMeters

    init(
        _ access: TaskAccess, release: MomentRelease, registry: any Registry, devices: DeviceAccess,
        reading: BodyReading,
        environment: WorkerEnvironment
    ) {
        moments = access.moments
        self.release = release
        self.registry = registry
        self.devices = devices
        room = access.room
        self.reading = reading
        time = environment.time
        meters = MomentMeters(environment.metrics)
    }

    /// Answers when the tasks that the moment releases are on their way.
    @Sendable func create(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let isPublic = call.caller.publicKey != nil
        let form = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            MomentForm(fields, isPublic: isPublic)
        }
        guard let form else { preconditionFailure("a form without problems is complete") }
        let now = time.now
        let end = now + form.lifetime
        var released = 0
        if let user = try await user(of: form.owner, in: call) {
            let key = UserKey(user, of: call.app)
            if form.isGood {
                try room.check(.accepting)
                released = try await release.release(
                    try await moments.begin(until: end, of: key), from: now, until: end,
                    trace: call.request.traceContext)
            } else {
                try await moments.end(of: key)
            }
        }
        meters.note(isGood: form.isGood, released: released)
        return .json(
            JSONText.object { json in
                json.member("good", form.isGood)
                json.member("released", released)
                if form.isGood { json.member("expires", "\(end)") }
            })
    }

    /// Nil for a device without a user, for which no task waits.
    private func user(of owner: MomentForm.Owner, in call: AuthorizedRequest) async throws -> Alias? {
        switch owner {
        case .user(let user): return user
        case .device(let id):
            return try await devices.with(id, of: call) { id -> RegisteredDevice? in
                guard let registered = try await registry.device(id, in: call.app),
                    devices.isPresented(registered, in: call)
                else { return nil }
                return registered
            }.device.aliases[.externalUser].flatMap { try? Alias(.externalUser, value: $0) }
        }
    }
}
