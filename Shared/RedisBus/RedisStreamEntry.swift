import Bus
import RedisClient
import Topics

/// One entry of a partition's stream: `[id, [b, batch, c, bytes, t, time, p, offset and time of the entry before]]`.
struct RedisStreamEntry {
    /// Identifies an entry among all that ever had its offset.
    struct Mark: Equatable {
        let nextOffset: Int64
        let time: Int64

        init(nextOffset: Int64, time: Int64) {
            self.nextOffset = nextOffset
            self.time = time
        }

        fileprivate init?(_ text: String) {
            let parts = text.split(separator: " ").compactMap { Int64($0) }
            guard parts.count == 2 else { return nil }
            self.init(nextOffset: parts[0], time: parts[1])
        }
    }

    let nextOffset: Int64
    let bytesUpToHere: Int64
    /// Nil if another program wrote the entry.
    let mark: Mark?
    /// The previous entry; nil if an earlier version wrote either of the two.
    let follows: Mark?
    private let batch: [UInt8]?

    /// Nil only without an offset: a reader must get past entries of other programs.
    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 2,
            let nextOffset = parts[0].string?.split(separator: "-").first.flatMap({ Int64($0) })
        else { return nil }
        let fields = parts[1].array ?? []
        self.nextOffset = nextOffset
        batch = fields.count >= 4 ? fields[1].bytes : nil
        bytesUpToHere = fields.count >= 4 ? fields[3].integer ?? 0 : 0
        mark = fields.count >= 6 ? fields[5].integer.map { Mark(nextOffset: nextOffset, time: $0) } : nil
        follows = fields.count >= 8 ? fields[7].string.flatMap { Mark($0) } : nil
    }

    /// Nil if this version can read the entry, or no version of Carillon wrote it.
    var laterVersion: UInt8? { batch.flatMap { MessageBatch.laterVersion(of: $0) } }

    func messages(of partition: PartitionID) throws(MalformedMessageError) -> [IncomingMessage] {
        guard let batch else { throw MalformedMessageError("not written by this bus") }
        return try MessageBatch.decode(batch, partition: partition, nextOffset: nextOffset)
    }
}
