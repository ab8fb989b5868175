import Bus
import ServiceKit
import Topics

/// Computes the lag of groups: committed offset to end of each partition. Blocks; never call it on a task.
struct KafkaBacklog {
    private static let questionDeadline = Duration.seconds(5)

    let client: RDKafkaClient

    /// Topics that do not exist are missing.
    func read(_ readers: [BusReader]) throws(BusError) -> [BusReader: Int] {
        let counts = try RDKafkaAdmin(client: client).partitionCounts(within: Self.questionDeadline)
        var backlog: [BusReader: Int] = [:]
        for reader in readers {
            guard let count = counts[reader.channel.name] else { continue }
            backlog[reader] = try messages(ahead: reader, (0..<Int32(count)).map { $0 })
        }
        client.serveErrors()
        return backlog
    }

    private func messages(ahead reader: BusReader, _ partitions: [Int32]) throws(BusError) -> Int {
        let offsets = RDKafkaOffsets(client: client)
        let topic = reader.channel.name
        let limit = Self.questionDeadline
        let ends = try offsets.offsets(of: topic, partitions, at: .end, within: limit)
        let committed = try offsets.committed(by: reader.group, of: topic, partitions, within: limit)
        // Messages that retention removed before the group read them are not part of its lag.
        let beginnings = try offsets.offsets(of: topic, partitions, at: .beginning, within: limit)
        return ends.reduce(0) { sum, end in
            let position = max(committed[end.key] ?? 0, beginnings[end.key] ?? 0)
            return sum + Int(max(0, end.value - position))
        }
    }
}
