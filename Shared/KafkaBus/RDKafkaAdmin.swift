import Bus
import CRDKafka
import ServiceKit

/// The admin calls of one client. They block; never call them on a task.
struct RDKafkaAdmin {
    enum Creation: Sendable {
        case created
        case existed
        case failed(String)
    }

    let client: RDKafkaClient

    /// Returns the outcome for each topic, by name.
    func create(_ plans: [KafkaTopicPlan], within limit: Duration) throws(BusError) -> [String: Creation] {
        var topics = try plans.map { plan throws(BusError) in try newTopic(plan) }
        defer { for topic in topics { rd_kafka_NewTopic_destroy(topic) } }
        let event = client.answer(to: RD_KAFKA_ADMIN_OP_CREATETOPICS, within: limit) { options, answers in
            rd_kafka_CreateTopics(client.handle, &topics, topics.count, options, answers)
        }
        guard let event else {
            throw BusError(
                .unavailable, message: "topics not created: no answer within \(DurationText.print(limit))")
        }
        defer { rd_kafka_event_destroy(event) }
        return try creations(in: event)
    }

    /// Number of partitions of each existing topic.
    func partitionCounts(within limit: Duration) throws(BusError) -> [String: Int] {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(client.handle, 1, nil, &metadata, Int32(limit.wholeMilliseconds))
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
            throw BusError(error, message: "cannot list topics")
        }
        defer { rd_kafka_metadata_destroy(metadata) }
        var counts: [String: Int] = [:]
        let topics = UnsafeBufferPointer(start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt))
        for topic in topics where topic.err == RD_KAFKA_RESP_ERR_NO_ERROR {
            counts[String(cString: topic.topic)] = Int(topic.partition_cnt)
        }
        return counts
    }

    private func newTopic(_ plan: KafkaTopicPlan) throws(BusError) -> OpaquePointer? {
        var reason = [CChar](repeating: 0, count: 512)
        guard
            let topic = rd_kafka_NewTopic_new(
                plan.name, Int32(plan.partitions), Int32(plan.replicas), &reason, reason.count)
        else { throw BusError(.refused, message: "invalid topic \(plan.name): \(String(cBuffer: reason))") }
        for setting in plan.settings { rd_kafka_NewTopic_set_config(topic, setting.name, setting.value) }
        return topic
    }

    private func creations(in event: OpaquePointer) throws(BusError) -> [String: Creation] {
        let error = rd_kafka_event_error(event)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            let detail = rd_kafka_event_error_string(event).map { String(cString: $0) } ?? error.text
            throw BusError(error.busCode, message: "topics not created: \(detail)")
        }
        var count = 0
        let results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)
        var creations: [String: Creation] = [:]
        for result in UnsafeBufferPointer(start: results, count: count) {
            creations[String(cString: rd_kafka_topic_result_name(result))] = creation(result)
        }
        return creations
    }

    private func creation(_ result: OpaquePointer?) -> Creation {
        switch rd_kafka_topic_result_error(result) {
        case RD_KAFKA_RESP_ERR_NO_ERROR: .created
        case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS: .existed
        case let error:
            .failed(rd_kafka_topic_result_error_string(result).map { String(cString: $0) } ?? error.text)
        }
    }
}
