import PushModel
import Synchronization

/// All tokens of Live Activities that were ever registered, also those that are removed, by their id.
final class ActivityEndpoints: Sendable {
    private let tokens = Mutex<[DeviceID: String]>([:])

    func note(_ id: DeviceID, token: String) {
        tokens.withLock { $0[id] = token }
    }

    func token(of id: DeviceID) -> String? { tokens.withLock { $0[id] } }
}
