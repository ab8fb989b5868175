package import ServiceKit
import Topics

package struct RedisBusConfiguration: Sendable {
    /// Forward producers wait while a topic or lane holds this many bytes that some group has not handled.
    package var channelBytesMaximum: Int
    /// The oldest messages of a log, and handled ones of kept work, are removed above this size, divided among its
    /// partitions.
    package var logBytesMaximum: Int
    /// How long a log that is kept briefly keeps a message.
    package var briefAge: Duration
    /// Bytes in flight to Redis at one time, over all producers of a process.
    package var sendBytesMaximum: Int
    /// Admission of new tasks also stops while Redis uses more of its `maxmemory`, and of later stages at a little
    /// more: see `AdmissionStage`.
    package var memoryPercentMaximum: Int
    /// A consumer that has not renewed its leases for this long counts as dead, and others take over its partitions.
    package var lease: Duration
    /// How often a consumer renews its leases and checks the group's members.
    package var heartbeat: Duration

    package init(
        channelBytesMaximum: Int = 64 << 20, logBytesMaximum: Int = 64 << 20, sendBytesMaximum: Int = 64 << 20,
        briefAge: Duration = TopicDeclaration.briefAge, memoryPercentMaximum: Int = 70,
        lease: Duration = .seconds(10), heartbeat: Duration = .seconds(2)
    ) {
        self.channelBytesMaximum = channelBytesMaximum
        self.logBytesMaximum = logBytesMaximum
        self.briefAge = briefAge
        self.sendBytesMaximum = sendBytesMaximum
        self.memoryPercentMaximum = memoryPercentMaximum
        self.lease = lease
        self.heartbeat = heartbeat
    }

    package init(environment: inout EnvironmentReader) {
        let defaults = RedisBusConfiguration()
        channelBytesMaximum = environment.bytes(
            "CARILLON_BUS_CHANNEL_BYTES", default: defaults.channelBytesMaximum, in: (1 << 20)...(64 << 30),
            meaning: "Embedded bus: unread bytes of one topic or lane at which its forward producers wait.")
        logBytesMaximum = environment.bytes(
            "CARILLON_BUS_LOG_BYTES", default: defaults.logBytesMaximum, in: (1 << 20)...(64 << 30),
            meaning: "Embedded bus: size at which a log topic, or handled results, lose the oldest messages.")
        briefAge = environment.duration(
            "CARILLON_BUS_EVENTS_AGE", default: defaults.briefAge, in: .seconds(60) ... .seconds(7 * 86_400),
            meaning:
                "Embedded bus: how long the topic events keeps a message, and so how long a listener may be away without "
                + "missing any. On Kafka set the topic's retention.ms.")
        sendBytesMaximum = environment.bytes(
            "CARILLON_BUS_SEND_BYTES", default: defaults.sendBytesMaximum, in: (1 << 20)...(64 << 30),
            meaning: "Embedded bus: bytes in flight to Redis at which further sends of this process wait.")
        memoryPercentMaximum = environment.integer(
            "CARILLON_BUS_MEMORY_PERCENT", default: defaults.memoryPercentMaximum, in: 1...95,
            meaning:
                "Share of Redis' maxmemory at which new tasks are refused. New devices are refused 8 points earlier; on "
                + "the embedded bus resolvers and schedulers wait 8 points later, renderers 16; producers of "
                + "draining topics never wait.")
        lease = environment.duration(
            "CARILLON_BUS_LEASE", default: defaults.lease, in: .milliseconds(100) ... .seconds(600),
            meaning: "Embedded bus: silence after which a consumer counts as dead.")
        heartbeat = environment.duration(
            "CARILLON_BUS_HEARTBEAT", default: defaults.heartbeat, in: .milliseconds(10) ... .seconds(200),
            meaning: "Embedded bus: interval of a consumer's heartbeat.")
        if heartbeat * 3 > lease {
            environment.reject(
                "CARILLON_BUS_HEARTBEAT", problem: "longer than a third of CARILLON_BUS_LEASE",
                fix: "set it to a third or less, so that one late heartbeat does no harm")
        }
    }
}
