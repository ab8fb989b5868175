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
    private let classes: DeviceClasses
    private let room: StoreRoom
    private let reading: BodyReading
    private let time: any TimeSource
    private let meters: MomentMeters

    init(
        _ access: TaskAccess, release: MomentRelease, registry: any Registry, devices: DeviceAccess,
        classes: DeviceClasses, reading: BodyReading, environment: WorkerEnvironment
    ) {
        moments = access.moments
        self.release = release
        self.registry = registry
        self.devices = devices
        self.classes = classes
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
        let device = try await device(of: form.owner, in: call)
        let end = time.now + form.lifetime
        let released = try await change(form, until: end, of: form.owner.user ?? device?.user, in: call)
        // After the release, which must not wait for it.
        if let device { try await classes.noteMoment(of: device, in: call.caller.app) }
        meters.note(isGood: form.isGood, released: released)
        return .json(
            JSONText.object { json in
                json.member("good", form.isGood)
                json.member("released", released)
                if form.isGood { json.member("expires", "\(end)") }
            })
    }

    /// Begins or ends the moment of the user, if any. Returns the number of tasks that it releases.
    private func change(
        _ form: MomentForm, until end: Timestamp, of user: Alias?, in call: AuthorizedRequest
    ) async throws -> Int {
        guard let user else { return 0 }
        let key = UserKey(user, of: call.app)
        guard form.isGood else {
            try await moments.end(of: key)
            return 0
        }
        try room.check(.accepting)
        let waiting = try await moments.begin(until: end, of: key)
        return try await release.release(waiting, from: time.now, until: end, trace: call.request.traceContext)
    }

    /// Nil if the user is named.
    private func device(of owner: MomentForm.Owner, in call: AuthorizedRequest) async throws -> RegisteredDevice? {
        guard case .device(let id) = owner else { return nil }
        return try await devices.with(id, of: call) { id in
            guard let registered = try await registry.device(id, in: call.app),
                devices.isPresented(registered, in: call)
            else { return nil }
            return registered
        }
    }
}

extension MomentForm.Owner {
    fileprivate var user: Alias? {
        guard case .user(let user) = self else { return nil }
        return user
    }
}

extension RegisteredDevice {
    /// Nil for a device without a user, for which no task waits.
    fileprivate var user: Alias? {
        device.aliases[.externalUser].flatMap { try? Alias(.externalUser, value: $0) }
    }
}
