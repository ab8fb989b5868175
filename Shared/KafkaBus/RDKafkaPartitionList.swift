import Bus
import CRDKafka

/// A list of partitions and offsets in the library's form; destroyed with its one owner.
struct RDKafkaPartitionList: ~Copyable {
    private let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(topic: String, _ offsets: [Int32: Int64]) {
        guard let made = rd_kafka_topic_partition_list_new(Int32(offsets.count)) else {
            preconditionFailure("no memory for a librdkafka partition list")
        }
        pointer = made
        for (partition, offset) in offsets {
            rd_kafka_topic_partition_list_add(made, topic, partition)?.pointee.offset = offset
        }
    }

    deinit {
        rd_kafka_topic_partition_list_destroy(pointer)
    }

    /// Lends the list to a call. The pointer must not escape: the list is destroyed right after its last use, not at
    /// the end of its scope.
    borrowing func withPointer<Result>(
        _ body: (UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> Result
    ) -> Result {
        body(pointer)
    }
}

extension rd_kafka_topic_partition_list_t {
    var entries: UnsafeMutableBufferPointer<rd_kafka_topic_partition_t> {
        UnsafeMutableBufferPointer(start: elems, count: Int(cnt))
    }
}
