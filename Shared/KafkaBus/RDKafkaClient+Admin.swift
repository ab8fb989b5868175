import CRDKafka
import ServiceKit

extension RDKafkaClient {
    /// Sends an admin request and waits for its event, which the caller destroys; nil on timeout.
    func answer(
        to operation: rd_kafka_admin_op_t, within limit: Duration,
        _ ask: (_ options: OpaquePointer?, _ answers: OpaquePointer?) -> Void
    ) -> OpaquePointer? {
        let options = rd_kafka_AdminOptions_new(handle, operation)
        defer { rd_kafka_AdminOptions_destroy(options) }
        var reason = [CChar](repeating: 0, count: 512)
        let milliseconds = Int32(limit.wholeMilliseconds)
        rd_kafka_AdminOptions_set_request_timeout(options, milliseconds, &reason, reason.count)
        let answers = rd_kafka_queue_new(handle)
        defer { rd_kafka_queue_destroy(answers) }
        ask(options, answers)
        // The library enforces the timeout itself; one more second lets its own error arrive.
        return rd_kafka_queue_poll(answers, milliseconds + 1_000)
    }
}
