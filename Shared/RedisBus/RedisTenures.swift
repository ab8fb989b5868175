/// The partitions that one consumer holds: their fences, read positions, and the bytes below each offset. Pure; shared
/// by the renewing and the reading thread.
struct RedisTenures {
    struct Tenure {
        let fence: Int64
        /// The inbox' number for the tenure, so that messages read for one tenure are never offered to the next.
        let inboxTenure: Int
        /// The next offset to read.
        fileprivate(set) var position: Int64
        /// For entries in flight: the offset after each and the bytes up to there.
        fileprivate var marks: [(nextOffset: Int64, bytes: Int64)] = []
        fileprivate var passed: Int64
        var leavingSince: Duration?
        /// The next entry cannot be read here. Nothing after it is read either, or it would be removed unread.
        fileprivate(set) var isHeldBack = false
        /// The log is not the one that was read. Nothing more is read or recorded in this tenure.
        fileprivate(set) var isRewritten = false
        /// The offset known to be recorded as done.
        fileprivate(set) var recorded: Int64
        /// The entry read last, used to recognise the log.
        fileprivate(set) var last: RedisStreamEntry.Mark?
        fileprivate var recognised: Duration?

        init(fence: Int64, inboxTenure: Int, position: Int64, passed: Int64) {
            self.fence = fence
            self.inboxTenure = inboxTenure
            self.position = position
            self.passed = passed
            recorded = position
        }
    }

    /// Shorter than any restart of Redis.
    static let recognitionPause = Duration.milliseconds(100)

    private(set) var held: [Int32: Tenure] = [:]

    var numbers: [Int32] { held.keys.sorted() }

    mutating func begin(_ number: Int32, tenure: Tenure) {
        held[number] = tenure
    }

    mutating func end(_ number: Int32) {
        held[number] = nil
    }

    mutating func markLeaving(_ number: Int32, since now: Duration) {
        if held[number]?.leavingSince == nil { held[number]?.leavingSince = now }
    }

    struct Reading: Equatable {
        let number: Int32
        let fence: Int64
        let position: Int64
    }

    /// The partitions to read, except leaving ones, and their positions.
    var reading: [Reading] {
        numbers.compactMap { number in
            guard let tenure = held[number], tenure.leavingSince == nil, !tenure.isHeldBack, !tenure.isRewritten
            else { return nil }
            return Reading(number: number, fence: tenure.fence, position: tenure.position)
        }
    }

    var heldBackCount: Int { held.values.count { $0.isHeldBack } }

    /// Stops reading the partition in this tenure; false if already stopped, or the tenure is over.
    mutating func holdBack(_ number: Int32, fence: Int64) -> Bool {
        guard let tenure = held[number], tenure.fence == fence, !tenure.isHeldBack else { return false }
        held[number]?.isHeldBack = true
        return true
    }

    /// True if the entry does not follow the one read before: the log was lost and has grown again. Unknown, and false,
    /// if entries are missing in between.
    mutating func findRewritten(_ number: Int32, fence: Int64, by entry: RedisStreamEntry) -> Bool {
        guard let tenure = held[number], tenure.fence == fence, let last = tenure.last, let follows = entry.follows,
            entry.nextOffset > tenure.position
        else { return false }
        let isOther = follows.nextOffset == last.nextOffset && follows != last
        guard follows.nextOffset < last.nextOffset || isOther else { return false }
        held[number]?.isRewritten = true
        return true
    }

    mutating func record(_ number: Int32, fence: Int64, watermark: Int64) {
        guard let tenure = held[number], tenure.fence == fence else { return }
        held[number]?.recorded = max(tenure.recorded, watermark)
    }

    /// The entry used to recognise the log, returned at most once per interval: Redis reads the whole entry for it.
    mutating func toRecognise(_ number: Int32, at now: Duration) -> RedisStreamEntry.Mark? {
        guard let tenure = held[number], let last = tenure.last else { return nil }
        if let before = tenure.recognised, now - before < RedisTenures.recognitionPause { return nil }
        held[number]?.recognised = now
        return last
    }

    /// Notes an entry that was read, and returns its inbox tenure; nil if its tenure is over or it was read before.
    mutating func note(
        _ number: Int32, fence: Int64, nextOffset: Int64, bytes: Int64, mark: RedisStreamEntry.Mark? = nil
    ) -> Int? {
        guard let tenure = held[number], tenure.fence == fence, tenure.leavingSince == nil,
            nextOffset > tenure.position
        else { return nil }
        held[number]?.position = nextOffset
        held[number]?.marks.append((nextOffset, bytes))
        held[number]?.last = mark
        return tenure.inboxTenure
    }

    /// The bytes below a watermark. None of an entry counts if the watermark is inside it: the safe side.
    mutating func notePassed(_ number: Int32, upTo watermark: Int64) -> Int64 {
        guard let tenure = held[number] else { return 0 }
        let done = tenure.marks.prefix { $0.nextOffset <= watermark }
        guard let last = done.last else { return tenure.passed }
        held[number]?.marks.removeFirst(done.count)
        held[number]?.passed = last.bytes
        return last.bytes
    }
}
