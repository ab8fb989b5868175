import PushModel
import ServiceKit
import Signing
import Store

/// What makes a task this one: a request that is repeated under its key has the same.
struct TaskSeed: Sendable, Equatable {
    let id: TaskID
    let created: Timestamp
    let isRepeatable: Bool
}

extension TaskSeed {
    private static let day: Int64 = 86_400_000

    /// The key, the request and the day it first came on: a repeat makes the same task even where the store has lost its
    /// memory of the key, and who uses a key again after it was forgotten gets another.
    init(_ request: IdempotentRequest, began: Timestamp) {
        let name = request.key + request.fingerprint + Array(String(began.milliseconds / TaskSeed.day).utf8)
        let digest = SHA256.digest(of: name)
        guard let id = TaskID(bytes: Array(digest.prefix(16))) else { preconditionFailure("a digest has 32 bytes") }
        self.init(id: id.marked(version: 8), created: began, isRepeatable: true)
    }
}

extension TaskID {
    /// As RFC 9562 marks UUIDs: 4 for one that is random, 8 for one that is derived.
    func marked(version: UInt64) -> TaskID {
        TaskID(high: high & ~0xF000 | version << 12, low: low & ~(0b11 << 62) | 0b10 << 62)
    }
}
