import PushModel
import ServiceKit
import Store

/// An Android device of the benchmark, the same for one number in every run.
struct BatchDevice: Sendable {
    /// Short ids are numbers of 19 digits, as AppMetrica gives them.
    private static let firstID: UInt64 = 1_000_000_000_000_000_000

    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    var id: String { String(BatchDevice.firstID + UInt64(number)) }
    /// Of the length of Google's.
    var tokenText: String { SyntheticDevice(2 * number + 1).tokenText }

    func token() throws -> PushToken { try PushToken(.fcm, text: tokenText) }

    var changes: DeviceChanges { DeviceChanges(language: "en", aliases: [.appMetricaDevice: id]) }
}
