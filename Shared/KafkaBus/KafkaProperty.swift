import Bus
import ServiceKit

/// A librdkafka property that operators may set: addresses, security, and the few values that depend on the network.
/// Properties that the delivery guarantees depend on are not in the table.
package struct KafkaProperty: Sendable {
    package enum Role: Sendable {
        case any
        case producer
        case consumer
    }

    package let name: String
    package let role: Role
    private let kind: Kind
    private let meaning: String

    private enum Kind {
        case text
        case secret
        /// A file or folder that the library reads when it creates a client.
        case file
    }

    private init(_ name: String, for role: Role = .any, as kind: Kind = .text, meaning: String) {
        self.name = name
        self.role = role
        self.kind = kind
        self.meaning = meaning
    }

    /// `ssl.ca.location` is read from `CARILLON_KAFKA_SSL_CA_LOCATION`.
    package var variable: String { KafkaProperty.variable(of: name) }

    static func variable(of name: String) -> String {
        "CARILLON_KAFKA_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    func read(_ environment: inout EnvironmentReader) -> Secret? {
        switch kind {
        case .text: environment.optionalText(variable, meaning: meaning).map { Secret($0) }
        case .secret: environment.secret(variable, meaning: meaning)
        case .file: environment.file(variable, meaning: meaning).map { Secret($0) }
        }
    }

    /// librdkafka's objection to a value, checked before any client is created with it.
    func problem(with value: Secret) -> String? {
        do {
            let configuration = RDKafkaConfiguration()
            try configuration.set(KafkaSetting(name, value))
            return nil
        } catch {
            return error.message
        }
    }

    package static let all = [
        KafkaProperty("client.id", meaning: "Name of this client, shown to the brokers."),
        KafkaProperty("client.rack", meaning: "Rack of this client, for fetching from the nearest replica."),
        KafkaProperty("security.protocol", meaning: "plaintext, ssl, sasl_plaintext or sasl_ssl."),
        KafkaProperty("sasl.mechanism", meaning: "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, GSSAPI or OAUTHBEARER."),
        KafkaProperty("sasl.username", meaning: "User name for PLAIN and SCRAM."),
        KafkaProperty("sasl.password", as: .secret, meaning: "Password for PLAIN and SCRAM."),
        KafkaProperty("sasl.kerberos.service.name", meaning: "Kerberos principal name of the brokers."),
        KafkaProperty("sasl.kerberos.principal", meaning: "Kerberos principal name of this client."),
        KafkaProperty("sasl.kerberos.keytab", as: .file, meaning: "Path of the Kerberos keytab."),
        KafkaProperty("sasl.oauthbearer.method", meaning: "OAUTHBEARER method; oidc fetches tokens from an endpoint."),
        KafkaProperty("sasl.oauthbearer.client.id", meaning: "Client id for OAUTHBEARER."),
        KafkaProperty("sasl.oauthbearer.client.secret", as: .secret, meaning: "Client secret for OAUTHBEARER."),
        KafkaProperty("sasl.oauthbearer.scope", meaning: "Scope requested with OAUTHBEARER."),
        KafkaProperty("sasl.oauthbearer.token.endpoint.url", meaning: "URL of the OAUTHBEARER token endpoint."),
        KafkaProperty(
            "ssl.ca.location", as: .file, meaning: "File or folder of the certificate authorities of the brokers."),
        KafkaProperty(
            "ssl.certificate.location", as: .file, meaning: "Certificate of this client, with its chain, as PEM."),
        KafkaProperty("ssl.key.location", as: .file, meaning: "Private key of this client, as PEM."),
        KafkaProperty("ssl.key.password", as: .secret, meaning: "Password of the private key."),
        KafkaProperty(
            "ssl.endpoint.identification.algorithm", meaning: "https verifies the brokers' names, none does not."),
        KafkaProperty("broker.address.family", meaning: "any, v4 or v6."),
        KafkaProperty("socket.timeout.ms", meaning: "Timeout of one request, in milliseconds."),
        KafkaProperty(
            "reconnect.backoff.max.ms",
            meaning: "Maximum wait between attempts to reach a broker, in milliseconds; 1000 by default."),
        KafkaProperty("debug", meaning: "Debug contexts of librdkafka, such as broker,security."),
        KafkaProperty(
            "linger.ms", for: .producer,
            meaning: "How long a message waits to form a batch with others, in milliseconds."),
        KafkaProperty("compression.codec", for: .producer, meaning: "none, gzip, snappy, lz4 or zstd."),
        KafkaProperty(
            "queue.buffering.max.kbytes", for: .producer, meaning: "Maximum size of unacknowledged messages, in KiB."
        ),
        KafkaProperty(
            "queue.buffering.max.messages", for: .producer, meaning: "Maximum number of unacknowledged messages."),
        KafkaProperty(
            "group.instance.id", for: .consumer,
            meaning:
                "Name of this process across restarts, for static group membership; each consumer appends its topic."
        ),
        KafkaProperty("session.timeout.ms", for: .consumer, meaning: "Session timeout of a consumer, in milliseconds."),
        KafkaProperty(
            "heartbeat.interval.ms", for: .consumer, meaning: "Interval of a consumer's heartbeat, in milliseconds."),
        KafkaProperty(
            "fetch.wait.max.ms", for: .consumer,
            meaning: "Maximum time a broker waits for data before it answers, in milliseconds."),
    ]
}
