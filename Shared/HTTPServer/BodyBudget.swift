import ServiceKit
import Synchronization

/// The memory that the bodies of all requests of one server may take together.
final class BodyBudget: Sendable {
    private let bytesMaximum: Int
    private let reserved = Atomic<Int>(0)
    private let gauge: Gauge

    init(bytesMaximum: Int, gauge: Gauge) {
        self.bytesMaximum = bytesMaximum
        self.gauge = gauge
    }

    /// Whether so many bytes would fit now; they may no longer when they come.
    func hasRoom(for count: Int) -> Bool {
        reserved.load(ordering: .relaxed) + count <= bytesMaximum
    }

    func reserve(_ count: Int) -> Bool {
        let (_, total) = reserved.add(count, ordering: .relaxed)
        guard total <= bytesMaximum else {
            reserved.subtract(count, ordering: .relaxed)
            return false
        }
        gauge.add(count)
        return true
    }

    func release(_ count: Int) {
        reserved.subtract(count, ordering: .relaxed)
        gauge.add(-count)
    }
}
