package import PushModel
import ServiceKit

/// The cap under which the devices of a chunk are claimed for the first time.
package struct ChunkCap: Hashable, Sendable {
    /// Stands for devices that may not wait.
    private static let never = Int64.min

    private static let periods =
        PushCap.periods.lowerBound.wholeMilliseconds...PushCap.periods.upperBound.wholeMilliseconds

    package let cap: PushCap
    /// The latest time until which a device may wait, in milliseconds since 1970; nil if none may.
    package let latest: Int64?

    package init(_ cap: PushCap, latest: Int64?) {
        self.cap = cap
        self.latest = latest
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(integer: UInt32(cap.count))
        bytes.append(integer: cap.period.wholeMilliseconds)
        bytes.append(integer: latest ?? ChunkCap.never)
    }

    init?(from reader: inout ByteReader) {
        guard let count = reader.integer(UInt32.self), PushCap.counts.contains(Int(count)),
            let period = reader.integer(Int64.self), ChunkCap.periods.contains(period),
            let latest = reader.integer(Int64.self)
        else { return nil }
        self.init(
            PushCap(count: Int(count), period: .milliseconds(period)), latest: latest == ChunkCap.never ? nil : latest)
    }
}
