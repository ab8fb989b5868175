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
        let end = time.now + form.lifetime
        let released: Int
        switch form.owner {
        case .user(let user): released = try await change(form, until: end, of: user, in: call)
        case .device(let id): released = try await note(form, until: end, of: id, in: call)
        }
        meters.note(isGood: form.isGood, released: released)
        return .json(
            JSONText.object { json in
                json.member("good", form.isGood)
                json.member("released", released)
                if form.isGood { json.member("expires", "\(end)") }
            })
    }

    /// The moment of a device is that of its user. The class of the device comes last: the release must not wait for it.
    private func note(
        _ form: MomentForm, until end: Timestamp, of id: String, in call: AuthorizedRequest
    ) async throws -> Int {
        let device = try await device(id, in: call)
        // No task waits for a device without a user.
        let user = device.device.aliases[.externalUser].flatMap { try? Alias(.externalUser, value: $0) }
        let released = if let user { try await change(form, until: end, of: user, in: call) } else { 0 }
        try await classes.noteMoment(of: device, in: call.caller.app)
        return released
    }

    /// Begins or ends the moment of the user. Returns the number of tasks that it releases.
    private func change(
        _ form: MomentForm, until end: Timestamp, of user: Alias, in call: AuthorizedRequest
    ) async throws -> Int {
        let key = UserKey(user, of: call.app)
        guard form.isGood else {
            try await moments.end(of: key)
            return 0
        }
        try room.check(.accepting)
        let waiting = try await moments.begin(until: end, of: key)
        return try await release.release(waiting, from: time.now, until: end, trace: call.request.traceContext)
    }

    private func device(_ id: String, in call: AuthorizedRequest) async throws -> RegisteredDevice {
        try await devices.with(id, of: call) { id in
            guard let registered = try await registry.device(id, in: call.app),
                devices.isPresented(registered, in: call)
            else { return nil }
            return registered
        }
    }
}
