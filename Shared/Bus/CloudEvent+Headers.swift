import Topics

extension CloudEvent {
    /// In the binary mode of CloudEvents' Kafka binding, which leaves the value as it is.
    var headers: [MessageHeader] {
        [
            MessageHeader("ce_specversion", "1.0"), MessageHeader("ce_id", id), MessageHeader("ce_type", type),
            MessageHeader("ce_source", source), MessageHeader("ce_subject", subject),
            MessageHeader("ce_time", "\(time)"), MessageHeader("content-type", "application/json"),
        ]
    }
}
