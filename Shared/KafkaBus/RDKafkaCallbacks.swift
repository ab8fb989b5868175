import Bus
import CRDKafka
import ServiceKit
import Synchronization

/// Delivery report of one message: the number it was produced with, the library's error, and its position.
struct RDKafkaReport {
    let opaque: UInt
    let error: rd_kafka_resp_err_t
    let position: MessagePosition
}

/// Callbacks of librdkafka. They only buffer and count; the owner processes the results after a poll.
///
/// `@unchecked Sendable`: `reports` and `onRebalance` belong to the one polling thread, on which the library also calls
/// the functions that use them; log lines and problems come on any thread and are protected by a lock.
final class RDKafkaCallbacks: @unchecked Sendable {
    var reports: [RDKafkaReport] = []
    var onRebalance: ((rd_kafka_resp_err_t, UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> Void)?
    let log: Log
    fileprivate let failures: BrokerFailures?
    fileprivate let problem = Mutex<String?>(nil)

    /// Without `failures` each connection failure is logged on a line of its own.
    init(log: Log, failures: BrokerFailures? = nil) {
        self.log = log
        self.failures = failures
    }

    /// The library's last error, such as that no broker can be reached.
    var lastProblem: String? { problem.withLock { $0 } }

    /// The brokers answer again: later problems have another cause.
    func forgetProblem() {
        problem.withLock { $0 = nil }
    }

    func install(in configuration: OpaquePointer, for role: rd_kafka_type_t) {
        rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
        rd_kafka_conf_set_log_cb(configuration, forwardLog)
        rd_kafka_conf_set_error_cb(configuration, rememberProblem)
        if role == RD_KAFKA_PRODUCER { rd_kafka_conf_set_dr_msg_cb(configuration, bufferReport) }
        guard role == RD_KAFKA_CONSUMER else { return }
        rd_kafka_conf_set_rebalance_cb(configuration, forwardRebalance)
        rd_kafka_conf_set_offset_commit_cb(configuration, logCommit)
    }

    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> RDKafkaCallbacks? {
        context.map { Unmanaged<RDKafkaCallbacks>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func bufferReport(
    _: OpaquePointer?, message: UnsafePointer<rd_kafka_message_t>?, context: UnsafeMutableRawPointer?
) {
    guard let message else { return }
    let offset = message.pointee.offset
    RDKafkaCallbacks.from(context)?.reports.append(
        RDKafkaReport(
            opaque: UInt(bitPattern: message.pointee._private), error: message.pointee.err,
            position: MessagePosition(partition: message.pointee.partition, offset: offset < 0 ? nil : offset)))
}

private func forwardRebalance(
    _: OpaquePointer?, event: rd_kafka_resp_err_t,
    partitions: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, context: UnsafeMutableRawPointer?
) {
    guard let partitions else { return }
    RDKafkaCallbacks.from(context)?.onRebalance?(event, partitions)
}

/// Results of the automatic commits, every second; without this their failures would go unnoticed.
private func logCommit(
    _: OpaquePointer?, error: rd_kafka_resp_err_t, _: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?,
    context: UnsafeMutableRawPointer?
) {
    switch error {
    case RD_KAFKA_RESP_ERR__NO_OFFSET: break
    case RD_KAFKA_RESP_ERR_NO_ERROR: RDKafkaCallbacks.from(context)?.log.debug("offsets committed")
    default:
        RDKafkaCallbacks.from(context)?.log.warning(
            "offset commit failed: work may be repeated", [.error: error.text])
    }
}

private func rememberProblem(
    _: OpaquePointer?, code: Int32, text: UnsafePointer<CChar>?, context: UnsafeMutableRawPointer?
) {
    guard let text else { return }
    let problem = String(cString: text)
    RDKafkaCallbacks.from(context)?.problem.withLock { $0 = problem }
}

/// The library recovers from nearly all problems it logs, so its errors are warnings here; an error it cannot recover
/// from is returned by a call, whose caller reports it.
private func forwardLog(
    _ client: OpaquePointer?, level: Int32, facility: UnsafePointer<CChar>?, text: UnsafePointer<CChar>?
) {
    guard let client, let text, let callbacks = RDKafkaCallbacks.from(rd_kafka_opaque(client)) else { return }
    let facility = facility.map { String(cString: $0) } ?? ""
    let line = String(cString: text)
    if facility == "FAIL", let failures = callbacks.failures { return failures.fail(line) }
    switch level {
    case ...4: callbacks.log.warning(line, [.librdkafka: facility])
    case 5...6: callbacks.log.info(line, [.librdkafka: facility])
    default: callbacks.log.debug(line, [.librdkafka: facility])
    }
}
