import Bus
import CRDKafka
import ServiceKit
import Synchronization
import Topics

/// One idempotent producing client. After a fatal error it is replaced by another.
///
/// Topic handles must be destroyed before their client: `deinit` releases them while `client` is still held.
///
/// `@unchecked Sendable`: topic handles may be used from any thread, and their table is protected by a lock.
final class RDKafkaProducer: @unchecked Sendable {
    private let client: RDKafkaClient
    private let topics = Mutex<[String: UInt]>([:])

    init(_ settings: [KafkaSetting], log: Log, failures: BrokerFailures) throws(BusError) {
        client = try RDKafkaClient(
            .producer, settings: settings, callbacks: RDKafkaCallbacks(log: log, failures: failures))
    }

    deinit {
        for address in topics.withLock({ $0.values }) { rd_kafka_topic_destroy(OpaquePointer(bitPattern: address)) }
    }

    /// Happens when the library's client is destroyed, after the last reference to this producer was dropped.
    var destroyed: OneTimeEvent { client.destroyed }

    var fatalProblem: String? { client.fatalProblem }

    /// Serves the library and returns its reports. Only for the polling thread.
    func poll(_ timeoutMilliseconds: Int32) -> [RDKafkaReport] {
        rd_kafka_poll(client.handle, timeoutMilliseconds)
        guard !client.callbacks.reports.isEmpty else { return [] }
        defer { client.callbacks.reports.removeAll(keepingCapacity: true) }
        return client.callbacks.reports
    }

    /// Waits for messages in flight, without lingering. For the polling thread; the next poll has the reports.
    func flush(within limit: Duration) {
        rd_kafka_flush(client.handle, Int32(limit.wholeMilliseconds))
    }

    /// Drops all messages in flight; each of them still gets a report.
    func purge() {
        rd_kafka_purge(client.handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
    }

    /// For tests: makes the client fail fatally as a lost sequence number would.
    func makeFatal() {
        rd_kafka_test_fatal_error(client.handle, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, "made fatal by a test")
    }

    /// Copies messages into the library's queue until it refuses one; returns that index and the error, or the count.
    /// Never waits. Message `index` is reported under `opaque(index)`.
    func produce(
        _ messages: [OutgoingMessage], from first: Int, opaque: (Int) -> UInt
    ) -> (next: Int, refusal: rd_kafka_resp_err_t) {
        var arguments = RDKafkaProduceArguments()
        var channel: String?
        // Through a pointer, to avoid retaining each field of each message.
        return messages.withUnsafeBufferPointer { messages in
            for index in first..<messages.count {
                if messages[index].channel.name != channel {
                    channel = messages[index].channel.name
                    guard let topic = topic(messages[index].channel.name) else { return (index, rd_kafka_last_error()) }
                    arguments.topic = topic
                }
                let refusal = arguments.produce(messages[index], opaque: opaque(index), to: client.handle)
                guard refusal == RD_KAFKA_RESP_ERR_NO_ERROR else { return (index, refusal) }
            }
            return (messages.count, RD_KAFKA_RESP_ERR_NO_ERROR)
        }
    }

    private func topic(_ name: String) -> OpaquePointer? {
        let address = topics.withLock { topics -> UInt? in
            if let known = topics[name] { return known }
            guard let settings = rd_kafka_default_topic_conf_dup(client.handle) else { return nil }
            // The library's default partitioner (CRC-32) differs from that of all other clients.
            crdkafka_partition_by_prefix(settings)
            guard let made = rd_kafka_topic_new(client.handle, name, settings) else {
                rd_kafka_topic_conf_destroy(settings)
                return nil
            }
            topics[name] = UInt(bitPattern: made)
            return UInt(bitPattern: made)
        }
        return address.flatMap { OpaquePointer(bitPattern: $0) }
    }
}

/// The argument list of `rd_kafka_produceva`, refilled for each message.
private struct RDKafkaProduceArguments {
    private static let fixed = 5
    /// An empty key still needs an address, or the library treats it as no key.
    private static let nothing: [UInt8] = [0]

    private var list = [rd_kafka_vu_t](repeating: rd_kafka_vu_t(), count: fixed)
    /// Header names (with a closing zero) and values of one message, end to end.
    private var headerBytes: [UInt8] = []

    init() {
        list[0].vtype = RD_KAFKA_VTYPE_RKT
        list[1].vtype = RD_KAFKA_VTYPE_MSGFLAGS
        list[1].u.i = RD_KAFKA_MSG_F_COPY
        list[2].vtype = RD_KAFKA_VTYPE_OPAQUE
        list[3].vtype = RD_KAFKA_VTYPE_VALUE
        list[4].vtype = RD_KAFKA_VTYPE_KEY
    }

    var topic: OpaquePointer? {
        get { list[0].u.rkt }
        set { list[0].u.rkt = newValue }
    }

    mutating func produce(_ message: OutgoingMessage, opaque: UInt, to client: OpaquePointer) -> rd_kafka_resp_err_t {
        list[2].u.ptr = UnsafeMutableRawPointer(bitPattern: opaque)
        if message.headers.isEmpty {
            if list.count > Self.fixed { list.removeLast(list.count - Self.fixed) }
            return produceBody(of: message, to: client)
        }
        setHeaderBytes(message.headers)
        let headerBytes = headerBytes
        return headerBytes.withUnsafeBytes { headers in
            setHeaders(message.headers, at: headers)
            return produceBody(of: message, to: client)
        }
    }

    private mutating func produceBody(of message: OutgoingMessage, to client: OpaquePointer) -> rd_kafka_resp_err_t {
        message.value.withUnsafeBytes { value in
            set(3, bytes: value)
            // For a compacted topic only a value without an address is a tombstone.
            if value.isEmpty, message.channel.declaration.cleanup == .compaction { list[3].u.mem.ptr = nil }
            guard let key = message.key else {
                list[4].u.mem.ptr = nil
                list[4].u.mem.size = 0
                return produce(to: client)
            }
            return (key.isEmpty ? Self.nothing : key).withUnsafeBytes { bytes in
                set(4, bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(key.count)))
                return produce(to: client)
            }
        }
    }

    private mutating func set(_ place: Int, bytes: UnsafeRawBufferPointer) {
        // The library copies before it returns, and does not write.
        list[place].u.mem.ptr = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        list[place].u.mem.size = bytes.count
    }

    private mutating func setHeaderBytes(_ headers: [MessageHeader]) {
        headerBytes.removeAll(keepingCapacity: true)
        for header in headers {
            headerBytes.append(contentsOf: header.name.utf8)
            headerBytes.append(0)
            headerBytes.append(contentsOf: header.value)
        }
    }

    /// One argument per header. The form with one object for all frees it twice if the partition is unknown.
    private mutating func setHeaders(_ headers: [MessageHeader], at bytes: UnsafeRawBufferPointer) {
        let count = Self.fixed + headers.count
        if list.count > count { list.removeLast(list.count - count) }
        while list.count < count { list.append(rd_kafka_vu_t()) }
        guard var next = bytes.baseAddress else { return }
        for (index, header) in headers.enumerated() {
            let place = Self.fixed + index
            list[place].vtype = RD_KAFKA_VTYPE_HEADER
            list[place].u.header.name = next.assumingMemoryBound(to: CChar.self)
            next += header.name.utf8.count + 1
            list[place].u.header.val = next
            list[place].u.header.size = header.value.count
            next += header.value.count
        }
    }

    private func produce(to client: OpaquePointer) -> rd_kafka_resp_err_t {
        guard let error = rd_kafka_produceva(client, list, list.count) else { return RD_KAFKA_RESP_ERR_NO_ERROR }
        defer { rd_kafka_error_destroy(error) }
        return rd_kafka_error_code(error)
    }
}
