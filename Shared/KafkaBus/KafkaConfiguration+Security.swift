package import ServiceKit

extension KafkaConfiguration {
    private static let passwordMechanisms: Set = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
    private static let mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER"]

    /// Checks the security settings against each other. The library checks some of this when a client is made, without
    /// naming the variable, and ignores the rest: brokers then just close the connection.
    package func checkSecurity(_ environment: inout EnvironmentReader) {
        let protocolName = value(of: "security.protocol")?.lowercased() ?? "plaintext"
        check(
            "sasl.", isUsed: protocolName.hasPrefix("sasl_"), protocolName: protocolName, cure: "sasl_ssl",
            environment: &environment)
        check(
            "ssl.", isUsed: protocolName.hasSuffix("ssl"), protocolName: protocolName, cure: "ssl or sasl_ssl",
            environment: &environment)
        if protocolName.hasPrefix("sasl_") { checkMechanism(protocolName, environment: &environment) }
        checkPair("ssl.certificate.location", other: "ssl.key.location", environment: &environment)
        checkPair("ssl.key.location", other: "ssl.certificate.location", environment: &environment)
    }

    private func check(
        _ prefix: String, isUsed: Bool, protocolName: String, cure: String, environment: inout EnvironmentReader
    ) {
        guard !isUsed,
            let idle = KafkaProperty.all.first(where: { $0.name.hasPrefix(prefix) && value(of: $0.name) != nil })
        else { return }
        let variable = KafkaProperty.variable(of: "security.protocol")
        environment.reject(
            idle.variable, problem: "set, but \(variable) is \(protocolName)",
            fix: "set \(variable) to \(cure), or unset it")
    }

    private func checkMechanism(_ protocolName: String, environment: inout EnvironmentReader) {
        let variable = KafkaProperty.variable(of: "sasl.mechanism")
        let fix = "set it to one of \(KafkaConfiguration.mechanisms.joined(separator: ", "))"
        guard let mechanism = value(of: "sasl.mechanism") else {
            return environment.reject(
                variable,
                problem: "not set, but \(KafkaProperty.variable(of: "security.protocol")) is \(protocolName)",
                fix: fix)
        }
        guard KafkaConfiguration.mechanisms.contains(mechanism) else {
            return environment.reject(
                variable, problem: "unknown mechanism \"\(mechanism)\"", fix: fix)
        }
        guard KafkaConfiguration.passwordMechanisms.contains(mechanism) else { return }
        for name in ["sasl.username", "sasl.password"] where value(of: name) == nil {
            let missing = KafkaProperty.variable(of: name)
            // An unreadable file was reported already.
            guard !environment.problems.contains(where: { $0.variable.hasPrefix(missing) }) else { continue }
            environment.reject(missing, problem: "not set, but required by \(mechanism)", fix: "set it")
        }
    }

    private func checkPair(_ name: String, other: String, environment: inout EnvironmentReader) {
        guard value(of: name) != nil, value(of: other) == nil else { return }
        environment.reject(
            KafkaProperty.variable(of: other), problem: "not set, but \(KafkaProperty.variable(of: name)) is",
            fix: "set both, or neither")
    }
}
