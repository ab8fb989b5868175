package import ServiceKit
import TLSSocket

extension RedisConfiguration {
    /// Reads `CARILLON_REDIS` and the variables that start with its name. `isBusSecured`: the bus has an address with
    /// TLS.
    package init(environment: inout EnvironmentReader, isBusSecured: Bool = false) {
        self.init()
        let defaults = self
        let url = environment.text(
            RedisSettings.url, default: "redis://127.0.0.1:6379",
            meaning:
                "Address of Redis: redis://user@host:port/database, rediss:// for TLS, redis+cluster:// for a cluster.")
        do throws(RedisError) {
            try self.init(url: url)
        } catch {
            environment.reject(RedisSettings.url, problem: error.message, fix: "use the form redis://host:6379/0")
        }
        if let secret = environment.secret(
            RedisSettings.password,
            meaning: "The password; it overrides one in CARILLON_REDIS, but not one in CARILLON_BUS.")
        {
            password = secret
        }
        checkUser(RedisSettings.url, environment: &environment)
        readTLS(&environment, isUsedElsewhere: isBusSecured)
        connections = environment.integer(
            RedisSettings.connections, default: defaults.connections, in: 1...64, meaning: "Connections to each server."
        )
        commandDeadline = environment.duration(
            RedisSettings.commandDeadline, default: defaults.commandDeadline, in: .milliseconds(10)...(.seconds(300)),
            meaning: "Timeout of a command, after which its outcome counts as unknown.")
        connectDeadline = environment.duration(
            RedisSettings.connectDeadline, default: defaults.connectDeadline, in: .milliseconds(10)...(.seconds(60)),
            meaning: "Timeout of one connection attempt.")
        outstandingBytesMaximum = environment.bytes(
            RedisSettings.outstandingBytes, default: defaults.outstandingBytesMaximum, in: (64 << 10)...(4 << 30),
            meaning: "Maximum size of unanswered commands of one connection.")
        replyBytesMaximum = environment.bytes(
            RedisSettings.replyBytes, default: defaults.replyBytesMaximum, in: (64 << 10)...(1 << 30),
            meaning: "Maximum size of a reply; a larger one closes the connection.")
        durability = environment.parse(
            RedisSettings.durability, default: defaults.durability, text: defaults.durability.rawValue,
            meaning:
                "What services require of Redis to be ready: always for appendonly yes, appendfsync always; any accepts "
                + "one that may lose acknowledged writes.",
            expected: RedisDurability.allCases.map(\.rawValue).joined(separator: ", "),
            convert: RedisDurability.init(rawValue:))
    }

    /// The files apply to every address with TLS, including that of the bus.
    private mutating func readTLS(_ environment: inout EnvironmentReader, isUsedElsewhere: Bool) {
        tlsFiles.authorityFile = environment.file(
            RedisSettings.authorityFile,
            meaning: "PEM file of CA certificates to trust for rediss://, instead of the system's.")
        tlsFiles.certificateFile = environment.file(
            RedisSettings.certificateFile, meaning: "PEM file with the client certificate.")
        tlsFiles.privateKeyFile = environment.file(
            RedisSettings.privateKeyFile, meaning: "PEM file with the client certificate's private key.")
        if tlsFiles.privateKeyFile != nil && tlsFiles.certificateFile == nil {
            environment.reject(
                RedisSettings.privateKeyFile, problem: "set without a certificate",
                fix: "set \(RedisSettings.certificateFile) as well")
        }
        guard tls == nil else { return tls = tlsFiles }
        for (name, value) in [
            (RedisSettings.authorityFile, tlsFiles.authorityFile),
            (RedisSettings.certificateFile, tlsFiles.certificateFile),
        ]
        where value != nil && !isUsedElsewhere {
            environment.reject(
                name, problem: "set, but \(RedisSettings.url) is not a rediss:// URL",
                fix: "use rediss://, or unset it")
        }
    }

    /// A user without a password would be ignored: Redis accepts the name only with one.
    package func checkUser(_ variable: String, environment: inout EnvironmentReader) {
        guard user != nil, password == nil else { return }
        environment.reject(
            variable, problem: "user name without a password",
            fix: "set \(RedisSettings.password) or \(RedisSettings.password)_FILE")
    }
}
