import Bus
import CRDKafka
import ServiceKit

/// Reads partitions' beginnings and ends and groups' commits from the brokers. Blocks; never call it on a task.
struct RDKafkaOffsets {
    enum Place {
        case beginning
        case end

        fileprivate var offset: Int64 {
            switch self {
            case .beginning: Int64(RD_KAFKA_OFFSET_BEGINNING)
            case .end: Int64(RD_KAFKA_OFFSET_END)
            }
        }
    }

    let client: RDKafkaClient

    /// One request to each leader; partitions without an answer are missing.
    func offsets(
        of topic: String, _ partitions: [Int32], at place: Place, within limit: Duration
    ) throws(BusError) -> [Int32: Int64] {
        guard !partitions.isEmpty else { return [:] }
        let list = RDKafkaPartitionList(topic: topic, partitions.at(place.offset))
        let (error, found) = list.withPointer { pointer in
            let error = rd_kafka_offsets_for_times(client.handle, pointer, Int32(limit.wholeMilliseconds))
            return (error, pointer.pointee.entries.known)
        }
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw BusError(error, message: "no offsets of \(topic)") }
        return found
    }

    /// Committed offsets of the group; partitions without a commit are missing. Fails if the offset of one is not known
    /// now: it would look like a commit that was lost.
    func committed(
        by group: String, of topic: String, _ partitions: [Int32], within limit: Duration
    ) throws(BusError) -> [Int32: Int64] {
        let list = RDKafkaPartitionList(topic: topic, partitions.at(Int64(RD_KAFKA_OFFSET_INVALID)))
        var question = list.withPointer { rd_kafka_ListConsumerGroupOffsets_new(group, $0) }
        defer { rd_kafka_ListConsumerGroupOffsets_destroy(question) }
        let event = client.answer(to: RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, within: limit) { options, answers in
            rd_kafka_ListConsumerGroupOffsets(client.handle, &question, 1, options, answers)
        }
        guard let event else {
            throw BusError(
                .unavailable, message: "no offsets of group \(group): no answer in \(DurationText.print(limit))")
        }
        defer { rd_kafka_event_destroy(event) }
        let error = rd_kafka_event_error(event)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw BusError(error, message: "no offsets of group \(group)")
        }
        return try offsets(in: event, of: group)
    }

    private func offsets(in event: OpaquePointer, of group: String) throws(BusError) -> [Int32: Int64] {
        var count = 0
        let groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
            rd_kafka_event_ListConsumerGroupOffsets_result(event), &count)
        guard count == 1, let answer = groups?.pointee else { return [:] }
        if let problem = rd_kafka_group_result_error(answer) {
            throw BusError(rd_kafka_error_code(problem), message: "no offsets of group \(group)")
        }
        guard let entries = rd_kafka_group_result_partitions(answer)?.pointee.entries else { return [:] }
        if let refused = entries.first(where: { $0.err != RD_KAFKA_RESP_ERR_NO_ERROR }) {
            throw BusError(refused.err, message: "no offset of group \(group) in partition \(refused.partition)")
        }
        return entries.known
    }
}

extension UnsafeMutableBufferPointer<rd_kafka_topic_partition_t> {
    fileprivate var known: [Int32: Int64] {
        var offsets: [Int32: Int64] = [:]
        for entry in self where entry.err == RD_KAFKA_RESP_ERR_NO_ERROR && entry.offset >= 0 {
            offsets[entry.partition] = entry.offset
        }
        return offsets
    }
}

extension [Int32] {
    func at(_ offset: Int64) -> [Int32: Int64] {
        Dictionary(map { ($0, offset) }) { first, _ in first }
    }
}
