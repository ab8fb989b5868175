import PushModel
import Synchronization

/// Minimum number of segments of each app; it only grows.
final class SegmentCounts: Sendable {
    private let counts = Mutex<[AppID: UInt32]>([:])

    func count(of app: AppID) -> UInt32 {
        counts.withLock { $0[app, default: 0] }
    }

    func note(_ count: UInt32, for app: AppID) {
        counts.withLock { $0[app] = max(count, $0[app, default: 0]) }
    }
}
