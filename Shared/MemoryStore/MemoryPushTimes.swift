import PushModel
import ServiceKit
import Store

/// When the devices of a segment got their last pushes under a cap.
struct MemoryPushTimes {
    /// Seconds since 1970, rounded up, in rising order.
    private var times: [UInt16: [Int64]] = [:]

    /// Counts a push; or returns when the device may get its next one, if it may get none now.
    mutating func count(_ offset: UInt16, cap: PushCap, at now: Timestamp) -> Timestamp? {
        let counted = times[offset, default: []].filter { time in
            // A later time was stored before the clock was set back.
            MemoryPushTimes.end(of: time, cap: cap) > now && time * 1_000 <= now.milliseconds + 60_000
        }
        guard counted.count < cap.count else {
            return MemoryPushTimes.end(of: counted[counted.count - cap.count], cap: cap)
        }
        let second = (now.milliseconds + 999) / 1_000
        times[offset] = counted + [max(second, counted.last ?? second)]
        return nil
    }

    private static func end(of time: Int64, cap: PushCap) -> Timestamp {
        Timestamp(milliseconds: time * 1_000) + cap.period
    }
}
