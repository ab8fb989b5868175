import Bus
import RedisClient
import Topics

/// One entry of a partition's stream: `[id, [b, batch, c, bytes, t, time]]`.
struct RedisStreamEntry {
    let nextOffset: Int64
    let bytesUpToHere: Int64
    private let batch: [UInt8]?

    /// Nil only without an offset: a reader must get past an entry that somebody else wrote.
    init?(_ value: RedisValue) {
        guard let parts = value.array, parts.count == 2,
            let nextOffset = parts[0].string?.split(separator: "-").first.flatMap({ Int64($0) })
        else { return nil }
        let fields = parts[1].array ?? []
        self.nextOffset = nextOffset
        batch = fields.count >= 4 ? fields[1].bytes : nil
        bytesUpToHere = fields.count >= 4 ? fields[3].integer ?? 0 : 0
    }

    /// Nil where this version of the house can read it, or no version wrote it.
    var laterVersion: UInt8? { batch.flatMap { MessageBatch.laterVersion(of: $0) } }

    func messages(of partition: PartitionID) throws(MalformedMessage) -> [IncomingMessage] {
        guard let batch else { throw MalformedMessage("an entry that this bus did not write") }
        return try MessageBatch.decode(batch, partition: partition, nextOffset: nextOffset)
    }
}
