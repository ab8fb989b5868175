import Bus
import CRDKafka
import ServiceKit

/// Checks whether the brokers answer. One request at a time, and an answer is cached for a second, so that probes
/// cannot cause load.
actor KafkaReadiness {
    /// Shorter than the timeout of `Health`, so that the reported reason is Kafka's own.
    private static let questionDeadline = Duration.milliseconds(1_500)
    private static let answerHolds = Duration.seconds(1)

    private let client: RDKafkaClient
    private let time: any TimeSource
    private var latest: (answer: Health.Readiness, at: Duration)?
    private var question: Task<Health.Readiness, Never>?

    init(_ client: RDKafkaClient, time: any TimeSource) {
        self.client = client
        self.time = time
    }

    func current() async -> Health.Readiness {
        if let latest, time.uptime - latest.at < Self.answerHolds { return latest.answer }
        if let question { return await question.value }
        let asked = Task { [client] in await onNativeThread("kafka-ready") { Self.ask(client) } }
        question = asked
        let answer = await asked.value
        latest = (answer, time.uptime)
        question = nil
        return answer
    }

    private static func ask(_ client: RDKafkaClient) -> Health.Readiness {
        var metadata: UnsafePointer<rd_kafka_metadata>?
        // Requests no topics: checks only whether a broker answers.
        let error = rd_kafka_metadata(client.handle, 0, nil, &metadata, Int32(questionDeadline.wholeMilliseconds))
        if let metadata { rd_kafka_metadata_destroy(metadata) }
        client.serveErrors()
        guard error != RD_KAFKA_RESP_ERR_NO_ERROR else {
            client.callbacks.forgetProblem()
            return .ready
        }
        return .notReady("Kafka does not answer: \(client.callbacks.lastProblem ?? error.text)")
    }
}
