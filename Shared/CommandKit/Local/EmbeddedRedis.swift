/// Arguments of a redis-server for the embedded bus and the registry.
package enum EmbeddedRedis {
    package static let program = "redis-server"

    package static func arguments(port: UInt16, folder: String, isDurable: Bool) -> [String] {
        [
            "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly",
            isDurable ? "yes" : "no", "--appendfsync", "always", "--maxmemory-policy", "noeviction",
            // Each rewrite forks and writes all data again while pushes wait for the same disk; a broadcast must not
            // trigger one rewrite after another.
            "--auto-aof-rewrite-min-size", "512mb", "--auto-aof-rewrite-percentage", "300",
            "--hash-max-listpack-entries", "1024", "--hash-max-listpack-value", "4096",
            "--set-max-intset-entries", "4096",
        ]
    }

    package static func isReady(_ line: String) -> Bool {
        line.contains("Ready to accept connections")
    }
}
