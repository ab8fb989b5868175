import PushModel
import Synchronization

/// The times at which this process last entered a segment in a topic's list, so that it does so only occasionally and
/// not for each subscription. Cleared when it is full.
final class EntryCache: Sendable {
    struct Key: Hashable {
        let app: AppID
        let topic: TopicNumber
        let segment: SegmentNumber
    }

    private static let entriesMaximum = 200_000
    private let entered = Mutex<[Key: UInt32]>([:])

    func time(of key: Key) -> UInt32? {
        entered.withLock { $0[key] }
    }

    func note(_ keys: [Key], at seconds: UInt32) {
        entered.withLock { entered in
            if entered.count + keys.count > EntryCache.entriesMaximum { entered.removeAll() }
            for key in keys { entered[key] = seconds }
        }
    }
}
