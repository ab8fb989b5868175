import PushModel
import Synchronization

/// Places that were given out to this process and not used yet. What it holds when the process ends is never used.
final class PlacePool: Sendable {
    private static let placesMaximum = 1_024
    private let places = Mutex<[AppID: [DeviceIndex]]>([:])

    func take(for app: AppID) -> DeviceIndex? {
        places.withLock { $0[app]?.popLast() }
    }

    /// Beyond the bound they are forgotten.
    func put(_ indices: [DeviceIndex], for app: AppID) {
        places.withLock { places in
            let room = PlacePool.placesMaximum - places[app, default: []].count
            places[app, default: []] += indices.prefix(max(0, room))
        }
    }
}
