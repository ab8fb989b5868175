import CRDKafka

/// librdkafka's mock cluster, listening on loopback ports. It keeps 5 MiB per partition and drops older messages, its
/// leaders move only on command, and it supports no admin requests.
final class MockCluster {
    private let host: OpaquePointer
    private let cluster: OpaquePointer
    private let errors: [String: rd_kafka_resp_err_t]

    init?(brokers: Int32) {
        var reason = [CChar](repeating: 0, count: 512)
        let configuration = rd_kafka_conf_new()
        // Its output on standard error would mix with the answers.
        rd_kafka_conf_set(configuration, "log_level", "0", &reason, reason.count)
        guard let host = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, &reason, reason.count) else {
            rd_kafka_conf_destroy(configuration)
            return nil
        }
        guard let cluster = rd_kafka_mock_cluster_new(host, brokers) else {
            rd_kafka_destroy(host)
            return nil
        }
        self.host = host
        self.cluster = cluster
        errors = Self.errorsByName()
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(host)
    }

    var bootstrap: String {
        rd_kafka_mock_cluster_bootstraps(cluster).map { String(cString: $0) } ?? ""
    }

    /// Returns nil on success, else the error.
    func perform(_ command: MockCommand) -> String? {
        switch command {
        case .createTopic(let name, let partitions):
            problem(rd_kafka_mock_topic_create(cluster, name, partitions, 1))
        case .brokerDown(let broker): problem(rd_kafka_mock_broker_set_down(cluster, broker))
        case .brokerUp(let broker): problem(rd_kafka_mock_broker_set_up(cluster, broker))
        case .roundTrip(let broker, let milliseconds):
            problem(rd_kafka_mock_broker_set_rtt(cluster, broker, milliseconds))
        case .leader(let topic, let partition, let broker):
            problem(rd_kafka_mock_partition_set_leader(cluster, topic, partition, broker))
        case .coordinator(let group, let broker):
            problem(rd_kafka_mock_coordinator_set(cluster, "group", group, broker))
        case .requestErrors(let api, let names): pushErrors(names, api: api)
        case .topicError(let topic, let name): setError(name, topic: topic)
        case .quit: nil
        }
    }

    /// The next requests of this kind are answered with these errors, one each.
    private func pushErrors(_ names: [String], api: Int16) -> String? {
        var codes: [rd_kafka_resp_err_t] = []
        for name in names {
            guard let code = errors[name] else { return "unknown error \(name)" }
            codes.append(code)
        }
        rd_kafka_mock_push_request_errors_array(cluster, api, codes.count, codes)
        return nil
    }

    private func setError(_ name: String, topic: String) -> String? {
        guard let code = errors[name] else { return "unknown error \(name)" }
        rd_kafka_mock_topic_set_error(cluster, topic, code)
        return nil
    }

    private func problem(_ error: rd_kafka_resp_err_t) -> String? {
        error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : String(cString: rd_kafka_err2str(error))
    }

    /// Every error of the library by its protocol name, such as NOT_ENOUGH_REPLICAS.
    private static func errorsByName() -> [String: rd_kafka_resp_err_t] {
        var list: UnsafePointer<rd_kafka_err_desc>?
        var count = 0
        rd_kafka_get_err_descs(&list, &count)
        var errors: [String: rd_kafka_resp_err_t] = [:]
        for description in UnsafeBufferPointer(start: list, count: count) {
            guard let name = description.name else { continue }
            errors[String(cString: name)] = description.code
        }
        return errors
    }
}
