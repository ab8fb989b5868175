import ServiceKit

/// Collects log lines for a test to inspect.
package final class CollectingSink: LogSink {
    private let collected = Monitor<[String]>([])

    package init() {}

    package var lines: [String] { collected.withLock { $0 } }

    package func write(line: String) {
        collected.change { $0.append(line) }
    }
}
