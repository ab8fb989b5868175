/// The partitions one consumer holds: under which fence, how far they were read, and how many bytes lie below each
/// offset. Pure; shared by the thread that renews and the thread that reads.
struct RedisTenures {
    struct Tenure {
        let fence: Int64
        /// The inbox' number for it, so that what was read for one tenure is never offered to the next.
        let inboxTenure: Int
        /// The next offset to read.
        fileprivate(set) var position: Int64
        /// For entries not done yet: the offset after each and the bytes up to there.
        fileprivate var marks: [(nextOffset: Int64, bytes: Int64)] = []
        fileprivate var passed: Int64
        var leavingSince: Duration?
        /// What comes next cannot be read here. Nothing behind it is read either, or it would be removed unread.
        fileprivate(set) var isHeldBack = false

        init(fence: Int64, inboxTenure: Int, position: Int64, passed: Int64) {
            self.fence = fence
            self.inboxTenure = inboxTenure
            self.position = position
            self.passed = passed
        }
    }

    private(set) var held: [Int32: Tenure] = [:]

    var numbers: [Int32] { held.keys.sorted() }

    mutating func begin(_ number: Int32, _ tenure: Tenure) {
        held[number] = tenure
    }

    mutating func end(_ number: Int32) {
        held[number] = nil
    }

    mutating func markLeaving(_ number: Int32, since now: Duration) {
        if held[number]?.leavingSince == nil { held[number]?.leavingSince = now }
    }

    struct Reading {
        let number: Int32
        let fence: Int64
        let position: Int64
    }

    /// What is to be read: partitions that stay, and from where.
    var reading: [Reading] {
        numbers.compactMap { number in
            guard let tenure = held[number], tenure.leavingSince == nil, !tenure.isHeldBack else { return nil }
            return Reading(number: number, fence: tenure.fence, position: tenure.position)
        }
    }

    var heldBackCount: Int { held.values.count { $0.isHeldBack } }

    /// Reads nothing more of the partition in this tenure; false where that is so already, or the tenure is over.
    mutating func holdBack(_ number: Int32, fence: Int64) -> Bool {
        guard let tenure = held[number], tenure.fence == fence, !tenure.isHeldBack else { return false }
        held[number]?.isHeldBack = true
        return true
    }

    /// Notes an entry that was read, and says to which tenure of the inbox it goes; nil when it belongs to one that is
    /// over, or was read before.
    mutating func note(_ number: Int32, fence: Int64, nextOffset: Int64, bytes: Int64) -> Int? {
        guard let tenure = held[number], tenure.fence == fence, tenure.leavingSince == nil,
            nextOffset > tenure.position
        else { return nil }
        held[number]?.position = nextOffset
        held[number]?.marks.append((nextOffset, bytes))
        return tenure.inboxTenure
    }

    /// The bytes below a watermark. A watermark inside an entry counts none of it: the bound errs to the safe side.
    mutating func passed(_ number: Int32, upTo watermark: Int64) -> Int64 {
        guard let tenure = held[number] else { return 0 }
        let done = tenure.marks.prefix { $0.nextOffset <= watermark }
        guard let last = done.last else { return tenure.passed }
        held[number]?.marks.removeFirst(done.count)
        held[number]?.passed = last.bytes
        return last.bytes
    }
}
