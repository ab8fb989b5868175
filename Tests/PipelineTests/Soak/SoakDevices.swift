import PushModel
import TestSupport

/// The devices of the app, by number: each has a user of its own, and every second one subscribes to a second topic.
struct SoakDevices: Sendable {
    static let count = 6_000

    private let ids: [String]
    private let numbers: [DeviceID: Int]

    init(in harness: Harness) async throws {
        let devices = (0..<SoakDevices.count).map { number in
            TestDevice(
                number, kind: [.apns, .fcm, .huawei][number % 3],
                topics: number.isMultiple(of: 2) ? ["news", "even"] : ["news"], user: "user-\(number)")
        }
        ids = try await harness.ingest.register(devices)
        numbers = Dictionary(
            uniqueKeysWithValues: ids.enumerated().compactMap { number, id in DeviceID(id).map { ($0, number) } })
    }

    func id(_ number: Int) -> String { ids[number] }

    /// -1 for a device that was never registered.
    func number(of device: DeviceID) -> Int { numbers[device] ?? -1 }

    /// -1 for a token that was never registered: all end with their number.
    static func number(ofToken token: String) -> Int {
        Int(token.suffix(8), radix: 16).flatMap { $0 < count ? $0 : nil } ?? -1
    }
}
