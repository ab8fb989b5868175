import Apps
import Bus
import PushModel
import ServiceKit
import Store

/// Registers devices within `limits.devices` of their app.
struct DeviceRegistration: Sendable {
    let addresses: DeviceAddressRules
    private let devices: DeviceLimits
    private let refused: Counter

    init(_ registry: any Registry, addresses: DeviceAddressRules, environment: WorkerEnvironment) {
        self.addresses = addresses
        devices = DeviceLimits(registry, time: environment.time)
        refused = environment.metrics.counter(.ingestDevicesRefused)
    }

    /// A known token updates its device, even if the app has more devices than it may.
    func register(_ token: PushToken, changes: DeviceChanges, in app: PushApp) async throws -> Registration {
        let maximum = app.limits.devices
        let registration = try await devices.register(token, changes: changes, in: app.id, devicesMaximum: maximum)
        guard let registration else {
            refused.increment()
            throw TaskError.tooManyDevices(maximum ?? 0)
        }
        return registration
    }
}
