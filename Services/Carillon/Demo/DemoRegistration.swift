import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// Registers the devices of the demonstration, many at once.
struct DemoRegistration: Sendable {
    private static let registrationsAtOnce = 32

    let url: String
    let key: Secret
    let http: LocalHTTP
    let simulator: SimulatorClient
    /// Starts of addresses, by provider.
    let endpoints: [String: String]

    /// Returns the ids by token.
    func register(_ devices: [DemoDevice]) async throws -> [String: String] {
        let keys = try await keys(of: devices.filter { $0.provider == .webpush })
        return try await withThrowingTaskGroup(of: (token: String, id: String).self) { group in
            var ids: [String: String] = [:]
            for (started, device) in devices.enumerated() {
                if started >= DemoRegistration.registrationsAtOnce, let done = try await group.next() {
                    ids[done.token] = done.id
                }
                group.addTask { (device.token(endpoints), try await register(device, keys: keys[device.name])) }
            }
            for try await done in group { ids[done.token] = done.id }
            return ids
        }
    }

    /// By name.
    private func keys(of browsers: [DemoDevice]) async throws -> [String: DemoBrowserKeys] {
        let names = browsers.map(\.name)
        let subscriptions = try await simulator.subscriptions(names).map(DemoBrowserKeys.init)
        guard subscriptions.count == names.count, !subscriptions.contains(nil) else {
            throw UpError("the simulator did not answer with a subscription for each browser")
        }
        return Dictionary(uniqueKeysWithValues: zip(names, subscriptions.compactMap { $0 }))
    }

    private func register(_ device: DemoDevice, keys: DemoBrowserKeys?) async throws -> String {
        let answer = try await http.post(
            "\(url)/subscribers", body: device.form(endpoints, keys: keys), type: "application/x-www-form-urlencoded",
            key: key)
        guard let id = answer["id"]?.text else { throw UpError("the response to a registration contains no id") }
        _ = try await http.post(
            "\(url)/subscriber/\(id)/subscriptions", body: device.subscriptions, type: "application/json", key: key)
        return id
    }
}
