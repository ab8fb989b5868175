import PushModel
import ServiceKit
import Synchronization

/// The number of devices in each segment of an app, as counted at one time.
///
/// New devices get indices in the segments that are open for registrations, and in those that closed a short time ago:
/// each process has a few indices in reserve. The others are counted again after a time in proportion to their number,
/// so that counting takes a constant and small share of Redis' time, however many devices the app has.
struct DeviceCensus: Sendable {
    /// Segments are opened in the order of their numbers.
    private static let newestSegments: UInt32 = 16
    private static let lifetimeOfSegment = Duration.milliseconds(4)

    private let taken: Duration
    private let counts: [Int]
    private let open: [SegmentNumber]

    init(counts: [Int], open: [SegmentNumber], at now: Duration) {
        self.counts = counts
        self.open = open
        taken = now
    }

    func isCurrent(at now: Duration) -> Bool {
        now - taken < DeviceCensus.lifetimeOfSegment * counts.count
    }

    /// The segments that may have received devices since.
    func uncertain(now standing: SegmentAllocator.Standing) -> [SegmentNumber] {
        let newest = standing.count - min(standing.count, DeviceCensus.newestSegments)
        let first = min(newest, UInt32(counts.count))
        let newer = (first..<max(first, standing.count)).map(SegmentNumber.init(rawValue:))
        return Set(open + standing.open + newer).sorted()
    }

    /// The devices of the app, with new counts of the uncertain segments.
    func total(replacing newer: [SegmentNumber: Int]) -> Int {
        let certain = counts.enumerated().reduce(0) { sum, segment in
            newer[SegmentNumber(rawValue: UInt32(segment.offset))] == nil ? sum + segment.element : sum
        }
        return newer.values.reduce(certain, +)
    }
}

/// The latest census of each app in this process.
final class DeviceCensuses: Sendable {
    private static let appsMaximum = 10_000
    private let censuses = Mutex<[AppID: DeviceCensus]>([:])

    func current(of app: AppID, at now: Duration) -> DeviceCensus? {
        censuses.withLock { $0[app] }.flatMap { $0.isCurrent(at: now) ? $0 : nil }
    }

    func keep(_ census: DeviceCensus, of app: AppID) {
        censuses.withLock { censuses in
            if censuses.count >= DeviceCensuses.appsMaximum { censuses = [:] }
            censuses[app] = census
        }
    }
}
