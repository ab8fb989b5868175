import ServiceKit
import Store
import Synchronization

/// The log of what clients are answered 5xx for: one line a second for each message, since an outage refuses every request
/// and clients come again.
final class RefusalLog: Sendable {
    private struct Entry {
        var written: Duration
        var omitted = 0
    }

    private static let interval = Duration.seconds(1)

    private let log: Log
    private let time: any TimeSource
    /// By message: there are as many as the code has.
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

    /// Of what the store answers, that for which a client is answered 5xx.
    func note(_ error: StoreError) {
        switch error.code {
        case .tooMany: break
        case .corrupt: self.error("the store holds what cannot be read", because: error)
        case .unavailable, .notReady, .full, .refused: warning("the store refused a request", because: error)
        }
    }

    /// For how many a line stands, those among them that had none; nil for one that has none.
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
