import HTTPServer
import JSONKit
import MemoryStore
import PushModel

/// The calls of Pushwoosh's SDK.
extension HistoryRun {
    private static let deviceTypes: [PushProtocol: Int64] = [.apns: 1, .fcm: 3, .huawei: 17]

    /// True if the app on the device has the SDK, which knows no topics.
    static func hasPushwoosh(_ number: Int) -> Bool {
        !Population.isSubscribed(number) && deviceTypes[Population.kind(number)] != nil
    }

    /// The device leaves the app, and perhaps comes back, which takes several calls.
    func unregister(_ number: Int, back: Duration?) async {
        await call("unregisterDevice", of: number) { $0.settle(number, isRegistered: false) }
        guard let back else { return }
        await world.pause(back)
        record.move(number, at: world.loop.uptime)
        await call("registerDevice", of: number, registration(of: number)) { $0.settle(number, isRegistered: true) }
        if let id = try? world.registry.device(of: population.pushToken(number), in: population.app) {
            population.note(id, of: number)
        }
        await call("registerUser", of: number, [("userId", Population.userName(of: number))])
        if let token = population.startToken(number) {
            await call("setActivityPushToStartToken", of: number, [("activity_push_to_start_token", token.text)])
        }
        // It changes nothing.
        await call("pushStat", of: number)
    }

    private func registration(of number: Int) -> [(String, String)] {
        [
            ("device_type", "\(HistoryRun.deviceTypes[Population.kind(number)] ?? 0)"),
            ("push_token", population.token(number)), ("language", Population.language(number)),
            ("app_version", Population.appVersion(number)),
            ("os_version", Population.knowsChannels(number) ? "18.1" : "17.4"),
        ]
    }

    private func call(
        _ name: String, of number: Int, _ members: [(String, String)] = [],
        note: @escaping (HistoryRecord) -> Void = { _ in }
    ) async {
        let request = HistoryRun.pushwooshCall(name, of: number, members)
        await ask { publisher in
            do {
                _ = try await publisher.send(request)
            } catch let refusal as SimulatedAPI.RefusalError where refusal.saysThatDeviceIsUnknown {
                return { _ in }
            }
            return note
        }
    }

    static func pushwooshCall(
        _ name: String, of number: Int, _ members: [(String, String)] = []
    ) -> PublisherRequest {
        var json = JSONObject([
            ("application", .string(SimulatedApp.pushwooshID)), ("hwid", .string(Population.hardwareID(number))),
        ])
        for (name, value) in members { json[name] = .string(value) }
        return PublisherRequest(.post, "/json/1.3/\(name)", JSONObject([("request", .object(json))]))
    }
}
