import RedisClient
import ServiceKit
import Synchronization

/// Knows, a moment late, whether Redis uses so much of its `maxmemory` that whoever brings more should wait.
final class RedisMemoryWatch: Sendable {
    private struct State {
        var isCrowded = false
        var asked: Duration?
    }

    private let client: RedisClient
    private let percentMaximum: Int
    private let time: any TimeSource
    private let interval = Duration.milliseconds(200)
    private let state = Mutex(State())

    init(client: RedisClient, percentMaximum: Int, time: any TimeSource) {
        self.client = client
        self.percentMaximum = percentMaximum
        self.time = time
    }

    /// The last answer; asks anew in the background when that is old.
    var isCrowded: Bool {
        let now = time.uptime
        let (isCrowded, isStale) = state.withLock { state in
            let isStale = state.asked.map { now - $0 > interval } ?? true
            if isStale { state.asked = now }
            return (state.isCrowded, isStale)
        }
        if isStale { ask() }
        return isCrowded
    }

    private func ask() {
        client.submit(RedisCommand("INFO", "memory")) { [weak self] result in
            guard let self, case .success(let value) = result, let text = value.string else { return }
            let isCrowded = RedisMemoryWatch.isCrowded(info: text, percentMaximum: percentMaximum)
            state.withLock { $0.isCrowded = isCrowded }
        }
    }

    /// A `maxmemory` of 0 is none.
    static func isCrowded(info: String, percentMaximum: Int) -> Bool {
        // Bytes: this is asked five times a second, and most of the 1,500 characters are of no interest.
        let lines = info.utf8.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        func field(_ name: String) -> Int? {
            lines.first { $0.starts(with: "\(name):".utf8) }
                .flatMap { Int(Substring($0.dropFirst(name.utf8.count + 1))) }
        }
        guard let used = field("used_memory"), let maximum = field("maxmemory"), maximum > 0 else { return false }
        return used >= maximum / 100 * percentMaximum
    }
}
