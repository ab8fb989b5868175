import PushModel
import ServiceKit
import Signing
import Store

/// Identity of the tasks of a request: repeats of the request with the same key have the same seed.
struct TaskSeed: Sendable, Equatable {
    /// The id of the first task.
    let id: TaskID
    let created: Timestamp
}

extension TaskSeed {
    private static let day: Int64 = 86_400_000

    /// That of a request without a key.
    init(created: Timestamp, random: any RandomSource) {
        self.init(id: TaskID(high: random.next(), low: random.next()).marked(version: 4), created: created)
    }

    /// Derived from the key, the request and the day of the first request: a repeat creates the same tasks even if the
    /// store lost the key, and a key that is reused after it expired creates others.
    init(_ request: IdempotentRequest, start: RequestStart) {
        let name = request.key + request.fingerprint + Array(String(start.began.milliseconds / TaskSeed.day).utf8)
        self.init(id: TaskID(digestOf: name, version: 8), created: start.accepted)
    }

    /// The id of the request's task at this place.
    func id(at place: Int) -> TaskID {
        guard place > 0 else { return id }
        return TaskID(digestOf: id.bytes + Array(String(place).utf8), version: id.isDerived ? 8 : 4)
    }
}

extension TaskID {
    fileprivate init(digestOf name: [UInt8], version: UInt64) {
        guard let id = TaskID(bytes: Array(SHA256.digest(of: name).prefix(16))) else {
            preconditionFailure("a digest has 32 bytes")
        }
        self = id.marked(version: version)
    }

    /// Version bits of RFC 9562: 4 for random ids, 8 for derived ids.
    fileprivate func marked(version: UInt64) -> TaskID {
        TaskID(high: high & ~0xF000 | version << 12, low: low & ~(0b11 << 62) | 0b10 << 62)
    }
}
