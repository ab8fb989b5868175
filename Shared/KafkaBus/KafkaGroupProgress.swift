import Bus
import ServiceKit
import Topics

/// Reads how far groups are: their committed offsets, and from these to the end of each partition. Blocks; never call it
/// on a task.
struct KafkaGroupProgress {
    private static let questionDeadline = Duration.seconds(5)

    let client: RDKafkaClient

    /// Topics that do not exist are missing.
    func read(_ readers: [BusReader]) throws(BusError) -> [BusReader: GroupProgress] {
        let counts = try RDKafkaAdmin(client: client).partitionCounts(within: Self.questionDeadline)
        var found: [BusReader: GroupProgress] = [:]
        for reader in readers {
            guard let count = counts[reader.channel.name] else { continue }
            found[reader] = try progress(of: reader, (0..<Int32(count)).map { $0 })
        }
        client.serveErrors()
        return found
    }

    private func progress(of reader: BusReader, _ partitions: [Int32]) throws(BusError) -> GroupProgress {
        let offsets = RDKafkaOffsets(client: client)
        let topic = reader.channel.name
        let limit = Self.questionDeadline
        let ends = try offsets.offsets(of: topic, partitions, at: .end, within: limit)
        let committed = try offsets.committed(by: reader.group, of: topic, partitions, within: limit)
        // Messages that retention removed before the group read them are not part of its lag.
        let beginnings = try offsets.offsets(of: topic, partitions, at: .beginning, within: limit)
        let waiting = ends.reduce(0) { sum, end in
            let position = max(committed[end.key] ?? 0, beginnings[end.key] ?? 0)
            return sum + Int(max(0, end.value - position))
        }
        return GroupProgress(waiting: waiting, handled: Int(committed.values.reduce(0, +)))
    }
}
