import Topics

extension CloudEvent {
    /// Binary mode of the CloudEvents Kafka binding, which leaves the value unchanged.
    var headers: [MessageHeader] {
        [
            MessageHeader("ce_specversion", "1.0"), MessageHeader("ce_id", id), MessageHeader("ce_type", type),
            MessageHeader("ce_source", source), MessageHeader("ce_subject", subject),
            MessageHeader("ce_time", "\(time)"), MessageHeader("content-type", "application/json"),
        ]
    }
}
