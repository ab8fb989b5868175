import Apps
import Bus
import PushModel
import ServiceKit
import Store
import Topics

/// Changes the class of devices, and tells the webhook of their app. It is told first, so that a request that was cut off
/// tells it when it is repeated; the outbox drops what it was told before.
struct DeviceClasses: Sendable {
    let registry: any Registry
    let producer: any BusProducer
    let time: any TimeSource

    /// The app of the device has reported a moment. Only the first one changes something.
    func noteMoment(of known: RegisteredDevice, in app: PushApp) async throws {
        guard !known.device.reportsMoments else { return }
        try await tell(known, to: .eligible, in: app)
        _ = try await registry.change(known.id, changes: .firstMoment, in: app.id)
    }

    /// False if there is no such device.
    func remove(_ id: DeviceID, in app: PushApp) async throws -> Bool {
        guard app.webhook != nil else { return try await registry.remove(id, in: app.id) }
        guard let known = try await registry.device(id, in: app.id) else { return false }
        return try await remove(known, in: app)
    }

    /// The same for a device that is read.
    func remove(_ known: RegisteredDevice, in app: PushApp) async throws -> Bool {
        try await tell(known, to: .ineligible, in: app)
        return try await registry.remove(known.id, in: app.id)
    }

    private func tell(_ known: RegisteredDevice, to reached: DeviceClass, in app: PushApp) async throws {
        guard app.webhook != nil else { return }
        let transition = DeviceTransition(of: known.id, known.device, in: app.id, to: reached, at: time.now)
        try await producer.send([Topics.statuses.message(.transition(transition), key: transition.key)])
    }
}
