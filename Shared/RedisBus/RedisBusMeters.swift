import ServiceKit

struct RedisBusMeters: Sendable {
    private let metrics: Metrics

    init(_ metrics: Metrics) {
        self.metrics = metrics
    }

    func channel(_ name: String) -> ChannelMeters {
        ChannelMeters(
            messages: metrics.counter(.busMessagesProduced, labels: ["topic": name]),
            bytes: metrics.counter(.busBytesProduced, labels: ["topic": name]),
            waits: metrics.counter(.busProducerWaits, labels: ["topic": name]))
    }

    func group(_ name: String, of channel: String) -> GroupMeters {
        GroupMeters(
            gaps: metrics.counter(.busOffsetGaps, labels: ["topic": channel, "group": name]),
            lost: metrics.counter(.busLeasesLost, labels: ["topic": channel, "group": name]),
            assigned: metrics.gauge(.busPartitionsAssigned, labels: ["topic": channel, "group": name]),
            buffered: metrics.gauge(.busBytesBuffered, labels: ["topic": channel, "group": name]),
            heldBack: metrics.gauge(.busPartitionsHeldBack, labels: ["topic": channel, "group": name]))
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
