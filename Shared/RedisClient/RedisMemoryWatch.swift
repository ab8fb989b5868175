package import ServiceKit
import Synchronization

/// Tracks, slightly delayed, how much of its `maxmemory` Redis uses, for producers that should wait. Queries only one
/// server of a cluster.
package final class RedisMemoryWatch: Sendable {
    private struct State {
        var percent = 0
        var asked: Duration?
    }

    private static let interval = Duration.milliseconds(200)
    private let client: RedisClient
    private let time: any TimeSource
    private let state = Mutex(State())

    package init(client: RedisClient, time: any TimeSource) {
        self.client = client
        self.time = time
    }

    /// From the last reply, zero without a `maxmemory`; refreshed in the background when it is old.
    package var percentUsed: Int {
        let now = time.uptime
        let (percent, isStale) = state.withLock { state in
            let isStale = state.asked.map { now - $0 > RedisMemoryWatch.interval } ?? true
            if isStale { state.asked = now }
            return (state.percent, isStale)
        }
        if isStale { ask() }
        return percent
    }

    private func ask() {
        client.submit(RedisCommand("INFO", "memory")) { [weak self] result in
            guard let self, case .success(let value) = result, let text = value.string else { return }
            state.withLock { $0.percent = RedisMemoryWatch.percentUsed(info: text) }
        }
    }

    static func percentUsed(info: String) -> Int {
        // Works on bytes: this runs five times a second, and most of the 1,500 characters are irrelevant.
        let lines = info.utf8.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        func field(_ name: String) -> Int? {
            lines.first { $0.starts(with: "\(name):".utf8) }
                .flatMap { Int(Substring($0.dropFirst(name.utf8.count + 1))) }
        }
        guard let used = field("used_memory"), let maximum = field("maxmemory"), maximum > 0, used > 0 else { return 0 }
        return used >= maximum ? 100 : used / max(maximum / 100, 1)
    }
}
