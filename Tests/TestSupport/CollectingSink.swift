import ServiceKit

/// Collects log lines, for a test to read and wait for.
package final class CollectingSink: LogSink {
    private let collected = Monitor<[String]>([])

    package init() {}

    package var lines: [String] { collected.withLock { $0 } }

    package func write(line: String) {
        collected.change { $0.append(line) }
    }

    package func contains(_ text: String) -> Bool {
        collected.withLock { $0.contains { $0.contains(text) } }
    }

    /// The number of lines that contain both texts.
    package func count(_ text: String, and other: String) -> Int {
        collected.withLock { $0.count { $0.contains(text) && (other.isEmpty || $0.contains(other)) } }
    }

    /// Waits until so many lines contain the text; false when the limit passes first.
    package func awaitLine(
        _ text: String, times count: Int = 1, within limit: Duration = .hangLimit
    ) async -> Bool {
        await blocking { [collected] in
            collected.wait(timeout: limit) { $0.count { $0.contains(text) } >= count ? true : nil } ?? false
        }
    }
}
