package import Bus
package import ServiceKit

/// Broker addresses and connection settings. What correctness needs (acks, idempotence, offsets) is not a setting.
package struct KafkaConfiguration: Sendable {
    package let brokers: [String]
    private var properties: [(property: KafkaProperty, value: Secret)] = []

    /// `kafka://host:9092,host2:9092`
    package init(url: String) throws(BusError) {
        guard let brokers = KafkaConfiguration.brokers(in: url) else {
            throw BusError(.refused, message: "invalid broker address: expected kafka://HOST:PORT[,HOST:PORT...]")
        }
        self.brokers = brokers
    }

    /// Declares every variable, so that `--help` lists them; reports invalid ones to the reader.
    package init(url: String, variable: String = "CARILLON_BUS", environment: inout EnvironmentReader) {
        let brokers = KafkaConfiguration.brokers(in: url)
        self.brokers = brokers ?? []
        if brokers == nil {
            environment.reject(
                variable, problem: "not a list of Kafka brokers",
                fix: "set it to kafka://HOST:PORT[,HOST:PORT...], without user or password")
        }
        for property in KafkaProperty.all {
            guard let value = property.read(&environment) else { continue }
            if let problem = property.problem(with: value) {
                environment.reject(
                    property.variable, problem: problem, fix: "see librdkafka's documentation of \(property.name)")
            }
            set(property, value: value)
        }
    }

    /// Sets a property of the table by its librdkafka name.
    package mutating func set(_ name: String, _ value: String) {
        guard let property = KafkaProperty.all.first(where: { $0.name == name }) else {
            preconditionFailure("\(name) is not a configurable property")
        }
        set(property, value: Secret(value))
    }

    func value(of name: String) -> String? {
        properties.last { $0.property.name == name }?.value.reveal()
    }

    private mutating func set(_ property: KafkaProperty, value: Secret) {
        properties.append((property, value))
    }

    var connection: [KafkaSetting] {
        [KafkaSetting("bootstrap.servers", brokers.joined(separator: ","))] + overrides(for: .any)
    }

    func overrides(for role: KafkaProperty.Role) -> [KafkaSetting] {
        properties.filter { $0.property.role == role }.map { KafkaSetting($0.property.name, $0.value) }
    }

    private static func brokers(in url: String) -> [String]? {
        let scheme = "kafka://"
        guard url.hasPrefix(scheme) else { return nil }
        let brokers = url.dropFirst(scheme.count).split(separator: ",", omittingEmptySubsequences: false).map(
            String.init)
        return brokers.allSatisfy(isBroker) ? brokers : nil
    }

    /// HOST:PORT, with an IPv6 address in brackets.
    private static func isBroker(_ text: String) -> Bool {
        guard let colon = text.lastIndex(of: ":") else { return false }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        let isPlain = !host.isEmpty && !host.contains { $0 == ":" || $0 == "/" || $0 == "@" || $0.isWhitespace }
        guard let port = UInt16(text[text.index(after: colon)...]) else { return false }
        return (isBracketed || isPlain) && port > 0
    }
}
