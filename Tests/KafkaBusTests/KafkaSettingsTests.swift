import Bus
import ServiceKit
import TestSupport
import Testing

@testable import KafkaBus

/// Tests how librdkafka reads our settings, without any broker.
struct KafkaSettingsTests {
    private func understood(_ settings: [KafkaSetting], name: String) throws -> String? {
        let configuration = try RDKafkaConfiguration(settings)
        return configuration.value(of: name)
    }

    @Test(arguments: [
        ("acks", "-1"), ("enable.idempotence", "true"), ("max.in.flight.requests.per.connection", "5"),
        ("message.timeout.ms", "120000"), ("delivery.report.only.error", "false"),
        ("queue.buffering.max.kbytes", "65536"), ("queue.buffering.max.messages", "100000"),
        ("socket.nagle.disable", "true"), ("reconnect.backoff.max.ms", "1000"),
        ("ssl.endpoint.identification.algorithm", "https"),
    ])
    func producerSettingsThatTheDeliveryGuaranteesRequire(name: String, value: String) throws {
        let configuration = try KafkaConfiguration(url: "kafka://a:1")
        #expect(try understood(KafkaSettings.producer(configuration), name: name) == value)
    }

    @Test(arguments: [
        ("enable.auto.offset.store", "false"), ("enable.auto.commit", "true"), ("auto.commit.interval.ms", "1000"),
        ("partition.assignment.strategy", "range,roundrobin"), ("auto.offset.reset", "smallest"),
        ("queued.max.messages.kbytes", "32768"), ("queued.min.messages", "100000"), ("check.crcs", "true"),
        ("allow.auto.create.topics", "false"), ("group.id", "g"),
        ("session.timeout.ms", "45000"),
    ])
    func consumerStoresOffsetsItselfRebalancesEagerlyAndBoundsMemory(name: String, value: String) throws {
        let configuration = try KafkaConfiguration(url: "kafka://a:1")
        #expect(try understood(KafkaSettings.consumer(configuration, group: "g", topic: "t"), name: name) == value)
    }

    @Test func aGroupMayShortenTheSessionTimeoutWithThreeHeartbeatsInIt() throws {
        let configuration = try KafkaConfiguration(url: "kafka://a:1")
        let settings = KafkaSettings.consumer(configuration, group: "g", topic: "t", silenceMaximum: .seconds(6))
        #expect(try understood(settings, name: "session.timeout.ms") == "6000")
        #expect(try understood(settings, name: "heartbeat.interval.ms") == "2000")
    }

    @Test(arguments: [
        (["CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "10000"], "6000", "2000"),
        (["CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "200"], "6000", "200"),
        (
            ["CARILLON_KAFKA_HEARTBEAT_INTERVAL_MS": "10000", "CARILLON_KAFKA_SESSION_TIMEOUT_MS": "30000"],
            "30000", "10000"
        ),
    ])
    func aConfiguredHeartbeatStaysWithinTheSessionTimeout(
        variables: [String: String], session: String, heartbeat: String
    ) throws {
        var reader = EnvironmentReader(variables)
        let configuration = KafkaConfiguration(url: "kafka://a:1", environment: &reader)
        let settings = KafkaSettings.consumer(configuration, group: "g", topic: "t", silenceMaximum: .seconds(6))
        #expect(try understood(settings, name: "session.timeout.ms") == session)
        #expect(try understood(settings, name: "heartbeat.interval.ms") == heartbeat)
    }

    @Test func everyBrokerOfTheURLReachesTheLibrary() throws {
        let configuration = try KafkaConfiguration(url: "kafka://a:9092,[::1]:9093")
        #expect(try understood(KafkaSettings.observer(configuration), name: "bootstrap.servers") == "a:9092,[::1]:9093")
    }

    @Test(arguments: [
        "", "kafka://", "redis://a:1", "kafka://a", "kafka://a:0", "kafka://a:70000", "kafka://a:1,",
        "kafka://u@a:1",
        "kafka://:1", "kafka://::1:1", "kafka://a:1/path",
    ])
    func refusesAURLWithoutAValidBroker(url: String) {
        #expect(throws: BusError.self) { try KafkaConfiguration(url: url) }
    }

    @Test func variablesForTLSAndSASLReachTheLibraryAndSecretsComeFromFiles() throws {
        let folder = TemporaryDirectory("kafka")
        var environment = EnvironmentReader([
            "CARILLON_KAFKA_SECURITY_PROTOCOL": "sasl_ssl", "CARILLON_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
            "CARILLON_KAFKA_SASL_USERNAME": "carillon",
            "CARILLON_KAFKA_SASL_PASSWORD_FILE": folder.write("password", content: "open sesame\n"),
            "CARILLON_KAFKA_SSL_CA_LOCATION": folder.write("ca.pem", content: ""),
            "CARILLON_KAFKA_SSL_CERTIFICATE_LOCATION": folder.write("me.pem", content: ""),
            "CARILLON_KAFKA_SSL_KEY_LOCATION": folder.write("me.key", content: ""), "CARILLON_KAFKA_LINGER_MS": "20",
            "CARILLON_KAFKA_GROUP_INSTANCE_ID": "pod-3",
        ])
        let configuration = KafkaConfiguration(url: "kafka://a:1", environment: &environment)
        configuration.checkSecurity(&environment)
        try environment.finish()
        let expected = [
            "security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "carillon",
            "sasl.password": "open sesame", "ssl.ca.location": folder.file("ca.pem"),
            "ssl.certificate.location": folder.file("me.pem"), "ssl.key.location": folder.file("me.key"),
        ]
        let roles = [
            KafkaSettings.producer(configuration), KafkaSettings.consumer(configuration, group: "g", topic: "t"),
            KafkaSettings.observer(configuration),
        ]
        for settings in roles {
            for (name, value) in expected { #expect(try understood(settings, name: name) == value) }
        }
        #expect(try understood(roles[0], name: "linger.ms") == "20")
        #expect(try understood(roles[1], name: "group.instance.id") == "pod-3.t")
        #expect(!roles[0].contains { $0.name == "group.instance.id" })
    }

    @Test(arguments: [
        (["SECURITY_PROTOCOL": "sasl_ssl"], ["SASL_MECHANISM"]),
        (["SECURITY_PROTOCOL": "sasl_ssl", "SASL_MECHANISM": "MAGIC"], ["SASL_MECHANISM"]),
        (
            ["SECURITY_PROTOCOL": "SASL_PLAINTEXT", "SASL_MECHANISM": "SCRAM-SHA-512"],
            ["SASL_USERNAME", "SASL_PASSWORD"]
        ),
        (
            [
                "SECURITY_PROTOCOL": "sasl_ssl", "SASL_MECHANISM": "PLAIN", "SASL_USERNAME": "u",
                "SASL_PASSWORD_FILE": "/nowhere",
            ], ["SASL_PASSWORD_FILE"]
        ),
        (["SASL_USERNAME": "u"], ["SASL_USERNAME"]),
        (["SECURITY_PROTOCOL": "ssl", "SASL_MECHANISM": "PLAIN"], ["SASL_MECHANISM"]),
        (["SSL_CA_LOCATION": "/dev/null"], ["SSL_CA_LOCATION"]),
        (["SECURITY_PROTOCOL": "ssl", "SSL_CA_LOCATION": "/nowhere"], ["SSL_CA_LOCATION"]),
        (["SECURITY_PROTOCOL": "ssl", "SSL_CERTIFICATE_LOCATION": "/dev/null"], ["SSL_KEY_LOCATION"]),
        (["SECURITY_PROTOCOL": "sasl_ssl", "SASL_MECHANISM": "GSSAPI"], []),
    ])
    func reportsContradictoryOrIncompleteSettingsBeforeAClientIsCreated(variables: [String: String], wrong: [String]) {
        var environment = EnvironmentReader(
            Dictionary(uniqueKeysWithValues: variables.map { ("CARILLON_KAFKA_\($0.key)", $0.value) }))
        KafkaConfiguration(url: "kafka://a:1", environment: &environment).checkSecurity(&environment)
        #expect(environment.problems.map(\.variable) == wrong.map { "CARILLON_KAFKA_\($0)" })
    }

    @Test func everyPropertyIsListedForHelpAndKnownToTheLibrary() {
        var environment = EnvironmentReader([:])
        _ = KafkaConfiguration(url: "kafka://a:1", environment: &environment)
        #expect(environment.variables.map(\.name) == KafkaProperty.all.map(\.variable))
        #expect(environment.variables.contains { $0.name == "CARILLON_KAFKA_SASL_PASSWORD" })
        for property in KafkaProperty.all {
            #expect(property.problem(with: Secret("x"))?.contains("No such configuration property") != true)
        }
    }

    @Test func reportsInvalidValuesByVariableWithoutShowingSecrets() {
        var environment = EnvironmentReader([
            "CARILLON_KAFKA_SECURITY_PROTOCOL": "carrier pigeon", "CARILLON_KAFKA_SESSION_TIMEOUT_MS": "soon",
            "CARILLON_KAFKA_SASL_PASSWORD": "open sesame",
        ])
        _ = KafkaConfiguration(url: "kafka:/a", environment: &environment)
        let names = environment.problems.map(\.variable)
        #expect(names == ["CARILLON_BUS", "CARILLON_KAFKA_SECURITY_PROTOCOL", "CARILLON_KAFKA_SESSION_TIMEOUT_MS"])
        #expect(!environment.problems.contains { "\($0)".contains("sesame") })
    }
}
