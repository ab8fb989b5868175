import ServiceKit
import TestSupport

/// Records what handlers did, in order; a test can wait for it.
final class Record: Sendable {
    private let entries = Monitor<[String]>([])

    func add(_ entry: String) {
        entries.change { $0.append(entry) }
    }

    var all: [String] { entries.withLock { $0 } }

    /// Waits until the entries satisfy a condition; false after the limit.
    func wait(within limit: Duration = .hangLimit, until isFulfilled: @escaping @Sendable ([String]) -> Bool) async
        -> Bool
    {
        await blocking { [entries] in
            entries.wait(timeout: limit) { isFulfilled($0) ? true : nil } ?? false
        }
    }

    func wait(forCount count: Int) async -> Bool {
        await wait { $0.count >= count }
    }
}

/// Blocks handlers until the test opens it.
final class Gate: Sendable {
    private let isOpen = OneTimeEvent()
    private let reached = OneTimeEvent()

    func pass() async {
        reached.happen()
        await isOpen.wait()
    }

    func awaitArrival() async { await reached.wait() }
    func open() { isOpen.happen() }
}
