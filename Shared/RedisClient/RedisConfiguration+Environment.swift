package import ServiceKit
import TLSSocket

extension RedisConfiguration {
    /// Reads `CARILLON_REDIS` and the variables that start with its name.
    package init(environment: inout EnvironmentReader) {
        self.init()
        let defaults = self
        let url = environment.text(
            RedisSettings.url, default: "redis://127.0.0.1:6379",
            "Where Redis is: redis://user@host:port/database, rediss:// for TLS, redis+cluster:// for a cluster.")
        do throws(RedisError) {
            try self.init(url: url)
        } catch {
            environment.reject(RedisSettings.url, error.message, fix: "write it as redis://host:6379/0")
        }
        if let secret = environment.secret(
            RedisSettings.password,
            "The password; it overrides one in CARILLON_REDIS, and one in CARILLON_BUS is left as it is.")
        {
            password = secret
        }
        readTLS(&environment)
        connections = environment.integer(
            RedisSettings.connections, default: defaults.connections, in: 1...64, "Connections to each server.")
        commandDeadline = environment.duration(
            RedisSettings.commandDeadline, default: defaults.commandDeadline, in: .milliseconds(10)...(.seconds(300)),
            "How long a command may take before its outcome counts as unknown.")
        connectDeadline = environment.duration(
            RedisSettings.connectDeadline, default: defaults.connectDeadline, in: .milliseconds(10)...(.seconds(60)),
            "How long one attempt to connect may take.")
        outstandingBytesMaximum = environment.bytes(
            RedisSettings.outstandingBytes, default: defaults.outstandingBytesMaximum, in: (64 << 10)...(4 << 30),
            "What one connection holds at most in commands without an answer.")
        replyBytesMaximum = environment.bytes(
            RedisSettings.replyBytes, default: defaults.replyBytesMaximum, in: (64 << 10)...(1 << 30),
            "A larger reply ends the connection.")
    }

    private mutating func readTLS(_ environment: inout EnvironmentReader) {
        let authority = environment.optionalText(
            RedisSettings.authorityFile, "PEM file of the authorities to trust for rediss://, instead of the system's.")
        let certificate = environment.optionalText(
            RedisSettings.certificateFile, "PEM file with the certificate to show the server.")
        let key = environment.optionalText(RedisSettings.privateKeyFile, "PEM file with that certificate's key.")
        guard tls != nil else {
            for (name, value) in [
                (RedisSettings.authorityFile, authority), (RedisSettings.certificateFile, certificate),
            ]
            where value != nil {
                environment.reject(
                    name, "it is set, but \(RedisSettings.url) is not a rediss:// URL",
                    fix: "write rediss://, or unset it")
            }
            return
        }
        tls?.authorityFile = authority
        tls?.certificateFile = certificate
        tls?.privateKeyFile = key
    }
}
