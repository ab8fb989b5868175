import ServiceKit
import Store
import Synchronization

/// Logs the causes of 5xx responses, at most one line a second per message: in an outage every request fails and
/// clients retry.
final class RefusalLog: Sendable {
    private struct Entry {
        var written: Duration
        var omitted = 0
    }

    private static let interval = Duration.seconds(1)

    private let log: Log
    private let time: any TimeSource
    /// By message; bounded by the number of messages in the code.
    private let entries = Mutex<[String: Entry]>([:])

    init(_ log: Log, time: any TimeSource) {
        self.log = log
        self.time = time
    }

    func warning(_ message: String, because error: any Error) {
        guard let count = admit(message) else { return }
        log.warning(message, [.error: "\(error)", .count: "\(count)"])
    }

    func error(_ message: String, because error: any Error) {
        guard let count = admit(message) else { return }
        log.error(message, [.error: "\(error)", .count: "\(count)"])
    }

    /// Logs a store error if it results in a 5xx response.
    func note(_ error: StoreError) {
        switch error.code {
        case .tooMany: break
        case .corrupt: self.error("corrupt data in the store", because: error)
        case .unavailable, .notReady, .full, .refused: warning("store operation failed", because: error)
        }
    }

    /// The number of events a line stands for, including suppressed ones; nil if this event is suppressed.
    private func admit(_ message: String) -> Int? {
        let now = time.uptime
        return entries.withLock { entries in
            if let entry = entries[message], now - entry.written < RefusalLog.interval {
                entries[message]?.omitted += 1
                return nil
            }
            let omitted = entries[message]?.omitted ?? 0
            entries[message] = Entry(written: now)
            return omitted + 1
        }
    }
}
