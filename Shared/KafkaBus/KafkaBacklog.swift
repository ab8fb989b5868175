import Bus
import ServiceKit
import Topics

/// How far groups are behind: from where each has committed to the end of each partition. Blocks; never on a task.
struct KafkaBacklog {
    private static let questionDeadline = Duration.seconds(5)

    let client: RDKafkaClient

    /// Topics that do not exist are missing.
    func read(_ readers: [BusReader]) throws(BusError) -> [BusReader: Int] {
        let counts = try RDKafkaAdmin(client: client).partitionCounts(within: Self.questionDeadline)
        let offsets = RDKafkaOffsets(client: client)
        var ends: [Channel: [Int32: Int64]] = [:]
        var backlog: [BusReader: Int] = [:]
        for reader in readers {
            guard let count = counts[reader.channel.name] else { continue }
            let partitions = (0..<Int32(count)).map { $0 }
            if ends[reader.channel] == nil {
                ends[reader.channel] = try self.offsets(offsets, of: reader.channel, partitions, at: .end)
            }
            let committed = try offsets.committed(
                by: reader.group, of: reader.channel.name, partitions, within: Self.questionDeadline)
            // What retention has removed before the group came to it is behind it no more.
            let begun = try self.offsets(offsets, of: reader.channel, partitions, at: .beginning)
            backlog[reader] = ends[reader.channel, default: [:]].reduce(0) { sum, partition in
                let position = max(committed[partition.key] ?? 0, begun[partition.key] ?? 0)
                return sum + Int(max(0, partition.value - position))
            }
        }
        client.serveErrors()
        return backlog
    }

    private func offsets(
        _ offsets: RDKafkaOffsets, of channel: Channel, _ partitions: [Int32], at place: RDKafkaOffsets.Place
    ) throws(BusError) -> [Int32: Int64] {
        try offsets.offsets(of: channel.name, partitions, at: place, within: Self.questionDeadline)
    }
}
