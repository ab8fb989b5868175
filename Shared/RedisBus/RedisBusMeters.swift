import ServiceKit

struct RedisBusMeters: Sendable {
    private let metrics: Metrics

    init(_ metrics: Metrics) {
        self.metrics = metrics
    }

    func channel(_ name: String) -> ChannelMeters {
        ChannelMeters(
            messages: metrics.counter(.busMessagesProduced, ["topic": name]),
            bytes: metrics.counter(.busBytesProduced, ["topic": name]),
            waits: metrics.counter(.busProducerWaits, ["topic": name]))
    }

    func group(_ name: String, of channel: String) -> GroupMeters {
        GroupMeters(
            gaps: metrics.counter(.busOffsetGaps, ["topic": channel, "group": name]),
            lost: metrics.counter(.busLeasesLost, ["topic": channel, "group": name]),
            assigned: metrics.gauge(.busPartitionsAssigned, ["topic": channel, "group": name]),
            buffered: metrics.gauge(.busBytesBuffered, ["topic": channel, "group": name]),
            heldBack: metrics.gauge(.busPartitionsHeldBack, ["topic": channel, "group": name]))
    }
}

struct ChannelMeters: Sendable {
    let messages: Counter
    let bytes: Counter
    let waits: Counter
}

struct GroupMeters: Sendable {
    let gaps: Counter
    let lost: Counter
    let assigned: Gauge
    let buffered: Gauge
    let heldBack: Gauge
}
