import CRDKafka
import KafkaBus
import ServiceKit
import Synchronization

/// One thread produces as fast as the window allows, one consumes; librdkafka does the rest.
enum BareKafka {
    /// State shared by the two threads.
    private final class Progress: Sendable {
        let reported = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        let consumed = Monitor(0)
    }

    static func run(_ load: BareLoad, clock: Monitor<Usage>) -> String? {
        guard var configuration = try? KafkaConfiguration(url: load.address) else { return "no brokers are named" }
        configuration.set("fetch.wait.max.ms", "10")
        let settings = KafkaSettings.consumer(configuration, group: load.name, topic: load.name)
        guard
            let producer = client(RD_KAFKA_PRODUCER, settings: KafkaSettings.producer(configuration)),
            let consumer = client(RD_KAFKA_CONSUMER, settings: settings)
        else { return "no client could be made" }
        let progress = Progress()
        subscribe(consumer, topic: load.name)
        let address = UInt(bitPattern: consumer)
        let consuming = NativeThread(name: "bare-consumer") {
            consume(OpaquePointer(bitPattern: address), load: load, progress: progress)
        }
        produce(producer, load: load, progress: progress, clock: clock)
        consuming.join()
        rd_kafka_consumer_close(consumer)
        rd_kafka_destroy(consumer)
        rd_kafka_destroy(producer)
        let failed = progress.failed.load(ordering: .relaxed)
        return failed == 0 ? nil : "\(failed) messages failed"
    }

    private static func client(_ role: rd_kafka_type_t, settings: [KafkaSetting]) -> OpaquePointer? {
        guard let conf = rd_kafka_conf_new() else { return nil }
        var problem = [CChar](repeating: 0, count: 512)
        for setting in settings {
            let result = rd_kafka_conf_set(conf, setting.name, setting.value.reveal(), &problem, problem.count)
            guard result == RD_KAFKA_CONF_OK else { return nil }
        }
        if role == RD_KAFKA_PRODUCER { rd_kafka_conf_set_dr_msg_cb(conf, countReport) }
        return rd_kafka_new(role, conf, &problem, problem.count)
    }

    private static func subscribe(_ consumer: OpaquePointer, topic: String) {
        rd_kafka_poll_set_consumer(consumer)
        let list = rd_kafka_topic_partition_list_new(1)
        rd_kafka_topic_partition_list_add(list, topic, -1)
        rd_kafka_subscribe(consumer, list)
        rd_kafka_topic_partition_list_destroy(list)
    }

    private static func produce(
        _ producer: OpaquePointer, load: BareLoad, progress: Progress, clock: Monitor<Usage>
    ) {
        let payload = load.payload
        let topic = rd_kafka_topic_new(producer, load.name, nil)
        let opaque = Unmanaged.passUnretained(progress).toOpaque()
        var sent = 0
        while sent < load.total {
            let limit = sent == load.batch ? sent : sent + load.batch - load.window
            _ = progress.consumed.wait(timeout: .seconds(60)) { $0 >= limit ? true : nil }
            if sent == load.batch { clock.change { $0 = Usage.now } }
            for _ in 0..<min(load.batch, load.total - sent) {
                var key = UInt64(sent)
                while payload.withUnsafeBytes({ bytes in
                    rd_kafka_produce(
                        topic, -1, RD_KAFKA_MSG_F_COPY, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                        bytes.count, &key, MemoryLayout<UInt64>.size, opaque)
                }) != 0 {
                    rd_kafka_poll(producer, 10)
                }
                sent += 1
            }
            rd_kafka_poll(producer, 0)
        }
        while progress.reported.load(ordering: .relaxed) < load.total { rd_kafka_poll(producer, 100) }
        rd_kafka_topic_destroy(topic)
    }

    private static let countReport:
        @convention(c) (OpaquePointer?, UnsafePointer<rd_kafka_message_t>?, UnsafeMutableRawPointer?) -> Void = {
            _, message, _ in
            guard let message, let opaque = message.pointee._private else { return }
            let progress = Unmanaged<Progress>.fromOpaque(opaque).takeUnretainedValue()
            if message.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR { progress.failed.add(1, ordering: .relaxed) }
            progress.reported.add(1, ordering: .relaxed)
        }

    private static func consume(_ consumer: OpaquePointer?, load: BareLoad, progress: Progress) {
        var taken = 0
        var unreported = 0
        while taken < load.total {
            let message = rd_kafka_consumer_poll(consumer, unreported > 0 ? 0 : 100)
            guard let message else {
                progress.consumed.change { $0 += unreported }
                unreported = 0
                continue
            }
            if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
                rd_kafka_offset_store(message.pointee.rkt, message.pointee.partition, message.pointee.offset)
                taken += 1
                unreported += 1
            }
            rd_kafka_message_destroy(message)
            if unreported >= load.batch {
                progress.consumed.change { $0 += unreported }
                unreported = 0
            }
        }
        progress.consumed.change { $0 += unreported }
    }
}
