import PushModel
import ServiceKit
import Signing
import Store

/// Identity of a task: repeats of a request with the same key have the same seed.
struct TaskSeed: Sendable, Equatable {
    let id: TaskID
    let created: Timestamp
    let isRepeatable: Bool
}

extension TaskSeed {
    private static let day: Int64 = 86_400_000

    /// Derived from the key, the request and the day of the first request: a repeat creates the same task even if the
    /// store lost the key, and a key that is reused after it expired creates another task.
    init(_ request: IdempotentRequest, began: Timestamp) {
        let name = request.key + request.fingerprint + Array(String(began.milliseconds / TaskSeed.day).utf8)
        let digest = SHA256.digest(of: name)
        guard let id = TaskID(bytes: Array(digest.prefix(16))) else { preconditionFailure("a digest has 32 bytes") }
        self.init(id: id.marked(version: 8), created: began, isRepeatable: true)
    }
}

extension TaskID {
    /// Version bits of RFC 9562: 4 for random ids, 8 for derived ids.
    func marked(version: UInt64) -> TaskID {
        TaskID(high: high & ~0xF000 | version << 12, low: low & ~(0b11 << 62) | 0b10 << 62)
    }
}
