import Synchronization

/// How often the stores came back with older data since an operator last had them rebuilt.
final class Repairs: Sendable {
    private let needed = Mutex(0)

    var isNeeded: Bool { count > 0 }
    var count: Int { needed.withLock { $0 } }

    /// True if no operator is at it already.
    func want() -> Bool {
        needed.withLock { needed in
            needed += 1
            return needed == 1
        }
    }

    func finish(_ count: Int) {
        needed.withLock { $0 -= count }
    }
}
