import PushModel
import Synchronization

/// Device indices allocated to this process and not yet used. Indices left when the process ends are never used.
final class PlacePool: Sendable {
    private static let placesMaximum = 1_024
    private let places = Mutex<[AppID: [DeviceIndex]]>([:])

    func take(for app: AppID) -> DeviceIndex? {
        places.withLock { $0[app]?.popLast() }
    }

    /// Indices beyond the bound are discarded.
    func put(_ indices: [DeviceIndex], for app: AppID) {
        places.withLock { places in
            let room = PlacePool.placesMaximum - places[app, default: []].count
            places[app, default: []] += indices.prefix(max(0, room))
        }
    }
}
