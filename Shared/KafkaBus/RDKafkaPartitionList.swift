import Bus
import CRDKafka

/// A list of partitions and offsets as the library takes it; one owner, destroyed with it.
struct RDKafkaPartitionList: ~Copyable {
    private let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(topic: String, _ offsets: [Int32: Int64]) {
        guard let made = rd_kafka_topic_partition_list_new(Int32(offsets.count)) else {
            preconditionFailure("librdkafka has no memory for a list of partitions")
        }
        pointer = made
        for (partition, offset) in offsets {
            rd_kafka_topic_partition_list_add(made, topic, partition)?.pointee.offset = offset
        }
    }

    deinit {
        rd_kafka_topic_partition_list_destroy(pointer)
    }

    /// Lends the list to a call. The pointer must not leave it: a list that is used no more is destroyed at once, not at
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
