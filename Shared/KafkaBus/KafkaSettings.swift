import Bus
import ServiceKit
import Topics

/// librdkafka settings by role, where its defaults lose messages, waste memory or wait too long.
package enum KafkaSettings {
    private static let common = [
        // The default waits for the acknowledgement of the last packet before a small one is sent.
        KafkaSetting("socket.nagle.disable", "true"),
        KafkaSetting("socket.keepalive.enable", "true"),
        // Brokers change addresses under an orchestrator.
        KafkaSetting("broker.address.ttl", "1000"),
        // A client may be idle for this long after a broker is back. The default, ten seconds, exceeds the patience of
        // publishers; one attempt a second costs nothing.
        KafkaSetting("reconnect.backoff.max.ms", "1000"),
        // A broker that closes an idle connection is not worth a log line.
        KafkaSetting("log.connection.close", "false"),
    ]

    package static func producer(_ configuration: KafkaConfiguration) -> [KafkaSetting] {
        common + configuration.connection + [
            KafkaSetting("acks", "all"),
            KafkaSetting("enable.idempotence", "true"),
            KafkaSetting("max.in.flight.requests.per.connection", "5"),
            // A short timeout is fatal to an idempotent producer: it may not skip an expired sequence number.
            KafkaSetting("message.timeout.ms", "120000"),
            KafkaSetting("linger.ms", "5"),
            KafkaSetting("compression.codec", "lz4"),
            KafkaSetting("batch.size", "1000000"),
            KafkaSetting("message.max.bytes", "1000000"),
            // The default bound is 1 GiB.
            KafkaSetting("queue.buffering.max.kbytes", "65536"),
            KafkaSetting("queue.buffering.max.messages", "100000"),
            KafkaSetting("delivery.report.only.error", "false"),
        ] + configuration.overrides(for: .producer)
    }

    package static func consumer(
        _ configuration: KafkaConfiguration, group: String, topic: String, silenceMaximum: Duration? = nil
    ) -> [KafkaSetting] {
        let session = silenceMaximum?.wholeMilliseconds ?? 45_000
        return common + configuration.connection + [
            KafkaSetting("group.id", group),
            // Offsets are stored when the work is done, not when a message is delivered; the library then commits them.
            KafkaSetting("enable.auto.offset.store", "false"),
            KafkaSetting("enable.auto.commit", "true"),
            KafkaSetting("auto.commit.interval.ms", "1000"),
            // Eager: before 2.10 the cooperative assignor loses the assignment when offsets are committed during a
            // rebalance.
            KafkaSetting("partition.assignment.strategy", "range,roundrobin"),
            KafkaSetting("session.timeout.ms", "\(session)"),
            KafkaSetting("heartbeat.interval.ms", "\(min(3_000, session / 3))"),
            KafkaSetting("max.poll.interval.ms", "300000"),
            KafkaSetting("auto.offset.reset", "earliest"),
            // In 2.0.2 a consumer whose queue exceeds either bound checks again only after a second (measured: 2,800
            // messages/s instead of 170,000 with a bound of 1,000 messages, which one fetch exceeds). So messages are
            // not counted, and the bytes have room for a fetch from each of 24 partitions; a pause discards no more.
            KafkaSetting("queued.min.messages", "100000"),
            KafkaSetting("queued.max.messages.kbytes", "32768"),
            KafkaSetting("fetch.message.max.bytes", "524288"),
            // The default trusts whatever was read from disk.
            KafkaSetting("check.crcs", "true"),
            // A topic created by a typing error would stay empty unnoticed.
            KafkaSetting("allow.auto.create.topics", "false"),
            KafkaSetting("isolation.level", "read_committed"),
            KafkaSetting("enable.partition.eof", "false"),
        ] + overrides(configuration, topic: topic, session: silenceMaximum.map { _ in session })
    }

    /// The operator's overrides. `session` is the group's own session timeout: a heartbeat interval set for the longer
    /// timeout of other groups must not exceed it.
    private static func overrides(
        _ configuration: KafkaConfiguration, topic: String, session: Int64?
    ) -> [KafkaSetting] {
        let overrides = configuration.overrides(for: .consumer)
        let ownSession = overrides.contains { $0.name == "session.timeout.ms" } ? nil : session
        return overrides.map { setting in
            guard let ownSession, setting.name == "heartbeat.interval.ms",
                let heartbeat = Int64(setting.value.reveal())
            else { return memberSetting(setting, topic: topic) }
            return KafkaSetting(setting.name, "\(min(heartbeat, ownSession / 3))")
        }
    }

    /// The consumers of one process share a group, and two with the same name would fence each other off.
    private static func memberSetting(_ setting: KafkaSetting, topic: String) -> KafkaSetting {
        guard setting.name == "group.instance.id" else { return setting }
        return KafkaSetting(setting.name, "\(setting.value.reveal()).\(topic)")
    }

    /// A client that neither produces nor consumes, for readiness and the creation of topics.
    package static func observer(_ configuration: KafkaConfiguration) -> [KafkaSetting] {
        common + configuration.connection
    }
}
