import Bus
import CRDKafka
import ServiceKit

/// A librdkafka consumer of one topic. Everything but `init` is only for the polling thread.
///
/// Offsets here mean the next message to be read: `rd_kafka_offsets_store` and commits take that value unchanged.
final class RDKafkaConsumer {
    enum Polled {
        case nothing
        case message(IncomingMessage)
        /// The present end of a partition was reached; reported only if the settings enable it.
        case end(Int32)
        case problem(String)
    }

    enum Rebalance {
        case assigned([Int32])
        /// Lost: another member may own them already, so nothing may be committed for them.
        case revoked([Int32], isLost: Bool)
        case failed(String)
    }

    private let client: RDKafkaClient
    private let topic: String

    init(_ client: RDKafkaClient, topic: String) {
        self.client = client
        self.topic = topic
        // Callbacks then run with the messages, on the polling thread.
        rd_kafka_poll_set_consumer(client.handle)
    }

    var destroyed: OneTimeEvent { client.destroyed }

    var fatalProblem: String? { client.fatalProblem }

    /// The body must assign or unassign; it runs inside `poll` or `close`.
    func onRebalance(_ body: @escaping (Rebalance) -> Void) {
        client.callbacks.onRebalance = { [handle = client.handle] event, partitions in
            let numbers = partitions.pointee.entries.map(\.partition)
            switch event {
            case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS: body(.assigned(numbers))
            case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
                body(.revoked(numbers, isLost: rd_kafka_assignment_lost(handle) != 0))
            default: body(.failed(event.text))
            }
        }
    }

    func subscribe() throws(BusError) {
        let list = RDKafkaPartitionList(topic: topic, [crdkafka_partition_unassigned: Int64(RD_KAFKA_OFFSET_INVALID)])
        let error = list.withPointer { rd_kafka_subscribe(client.handle, $0) }
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw BusError(error, message: "cannot subscribe to \(topic)")
        }
    }

    /// One message at a time: in 2.0.2 the batch calls can skip offsets around a pause.
    func poll(_ timeoutMilliseconds: Int32) -> Polled {
        guard let message = rd_kafka_consumer_poll(client.handle, timeoutMilliseconds) else { return .nothing }
        defer { rd_kafka_message_destroy(message) }
        guard message.pointee.err != RD_KAFKA_RESP_ERR__PARTITION_EOF else { return .end(message.pointee.partition) }
        guard message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return .problem(rd_kafka_message_errstr(message).map { String(cString: $0) } ?? message.pointee.err.text)
        }
        return .message(IncomingMessage(copying: message, topic: topic))
    }

    /// All present partitions of the topic.
    func partitions(within limit: Duration) throws(BusError) -> [Int32] {
        guard let handle = rd_kafka_topic_new(client.handle, topic, nil) else {
            throw BusError(.unavailable, message: "cannot read the metadata of \(topic)")
        }
        defer { rd_kafka_topic_destroy(handle) }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(client.handle, 0, handle, &metadata, Int32(limit.wholeMilliseconds))
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
            throw BusError(error, message: "cannot read the metadata of \(topic)")
        }
        defer { rd_kafka_metadata_destroy(metadata) }
        guard metadata.pointee.topic_cnt == 1, let described = metadata.pointee.topics?.pointee,
            described.err == RD_KAFKA_RESP_ERR_NO_ERROR
        else { throw BusError(.refused, message: "unknown topic \(topic): create it first") }
        return (0..<Int(described.partition_cnt)).compactMap { described.partitions?[$0].id }
    }

    /// The offsets that the brokers hold of a partition.
    func held(_ partition: Int32, within limit: Duration) throws(BusError) -> Range<Int64> {
        var (low, high): (Int64, Int64) = (0, 0)
        let error = rd_kafka_query_watermark_offsets(
            client.handle, topic, partition, &low, &high, Int32(limit.wholeMilliseconds))
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, low >= 0, low <= high else {
            throw BusError(error, message: "cannot read the offsets of \(topic)")
        }
        return low..<high
    }

    /// Offsets committed by the group; partitions without a commit, or whose query failed, are missing.
    func committed(_ partitions: [Int32], within limit: Duration) -> [Int32: Int64] {
        guard !partitions.isEmpty else { return [:] }
        let list = RDKafkaPartitionList(topic: topic, partitions.at(Int64(RD_KAFKA_OFFSET_INVALID)))
        return list.withPointer { pointer in
            let error = rd_kafka_committed(client.handle, pointer, Int32(limit.wholeMilliseconds))
            guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { return [:] }
            var positions: [Int32: Int64] = [:]
            for entry in pointer.pointee.entries where entry.err == RD_KAFKA_RESP_ERR_NO_ERROR && entry.offset >= 0 {
                positions[entry.partition] = entry.offset
            }
            return positions
        }
    }

    /// Starts fetching. The library determines missing positions itself.
    func assign(_ partitions: [Int32], from positions: [Int32: Int64]) {
        var offsets = partitions.at(Int64(RD_KAFKA_OFFSET_INVALID))
        offsets.merge(positions) { $1 }
        _ = RDKafkaPartitionList(topic: topic, offsets).withPointer { rd_kafka_assign(client.handle, $0) }
    }

    func unassign() {
        rd_kafka_assign(client.handle, nil)
    }

    func pause(_ partitions: [Int32]) {
        let list = RDKafkaPartitionList(topic: topic, partitions.at(0))
        _ = list.withPointer { rd_kafka_pause_partitions(client.handle, $0) }
    }

    func resume(_ partitions: [Int32]) {
        let list = RDKafkaPartitionList(topic: topic, partitions.at(0))
        _ = list.withPointer { rd_kafka_resume_partitions(client.handle, $0) }
    }

    /// End of the partition as of the last fetch response; nil before the first.
    func end(of partition: Int32) -> Int64? {
        var (low, high): (Int64, Int64) = (-1, -1)
        let error = rd_kafka_get_watermark_offsets(client.handle, topic, partition, &low, &high)
        return error == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : nil
    }

    /// Stores offsets for the library to commit. Returns those that it refused, and why.
    func store(_ offsets: [Int32: Int64]) -> [StoreRefusal] {
        RDKafkaPartitionList(topic: topic, offsets).withPointer { pointer in
            rd_kafka_offsets_store(client.handle, pointer)
            return pointer.pointee.entries.compactMap { entry in
                guard entry.err != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
                return StoreRefusal(
                    partition: entry.partition, problem: entry.err.text,
                    isOurs: entry.err != RD_KAFKA_RESP_ERR__STATE)
            }
        }
    }

    /// Commits and waits for the answer; nil on success. The library's own synchronous commit has no timeout.
    func commit(_ offsets: [Int32: Int64], within limit: Duration) -> String? {
        guard let answers = rd_kafka_queue_new(client.handle) else { return "out of memory" }
        defer { rd_kafka_queue_destroy(answers) }
        let list = RDKafkaPartitionList(topic: topic, offsets)
        let error = list.withPointer { rd_kafka_commit_queue(client.handle, $0, answers, nil, nil) }
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { return error.text }
        guard let answer = rd_kafka_queue_poll(answers, Int32(limit.wholeMilliseconds)) else {
            return "no answer within \(DurationText.print(limit))"
        }
        defer { rd_kafka_event_destroy(answer) }
        let result = rd_kafka_event_error(answer)
        return result == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : result.text
    }

    /// Leaves the group. Calls the rebalance body for the partitions still assigned.
    func close() {
        let error = rd_kafka_consumer_close(client.handle)
        guard error != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        client.callbacks.log.warning("consumer did not leave its group cleanly", [.error: error.text])
    }
}

/// An offset that the library refused to store.
struct StoreRefusal {
    let partition: Int32
    let problem: String
    /// False if the partition now belongs to another consumer, which will do the work again.
    let isOurs: Bool
}

extension IncomingMessage {
    /// Copies everything, since the library destroys its message after the poll.
    fileprivate convenience init(copying message: UnsafeMutablePointer<rd_kafka_message_t>, topic: String) {
        let fields = message.pointee
        self.init(
            partition: PartitionID(channel: topic, number: fields.partition), offset: fields.offset,
            key: fields.key.map { [UInt8](copying: $0, fields.key_len) },
            value: [UInt8](copying: fields.payload, fields.len), headers: [MessageHeader](copying: message),
            timestamp: Timestamp(milliseconds: rd_kafka_message_timestamp(message, nil)))
    }
}

extension [MessageHeader] {
    fileprivate init(copying message: UnsafeMutablePointer<rd_kafka_message_t>) {
        self = []
        var list: OpaquePointer?
        guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        while rd_kafka_header_get_all(list, self.count, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR,
            let text = name
        {
            append(MessageHeader(OutsideText.replacing(cString: text), [UInt8](copying: value, count)))
        }
    }
}

extension [UInt8] {
    fileprivate init(copying start: UnsafeRawPointer?, _ count: Int) {
        self = Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
