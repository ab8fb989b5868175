import Bus
import CRDKafka

extension rd_kafka_resp_err_t {
    var text: String { String(cString: rd_kafka_err2str(self)) }

    /// Everything that is not clearly a configuration or usage error counts as an outage, which is retried.
    var busCode: BusError.Code {
        switch self {
        case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
            RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
            .tooLarge
        case RD_KAFKA_RESP_ERR__QUEUE_FULL:
            .full
        case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
            RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
            RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
            RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_POLICY_VIOLATION, RD_KAFKA_RESP_ERR__INVALID_ARG,
            RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS, RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
            RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
            .refused
        default:
            .unavailable
        }
    }
}

extension BusError {
    init(_ error: rd_kafka_resp_err_t, message: String) {
        self.init(error.busCode, message: "\(message): \(error.text)")
    }
}
