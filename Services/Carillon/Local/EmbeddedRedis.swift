/// How a redis-server is started that the embedded bus and the registry can live on.
enum EmbeddedRedis {
    static let program = "redis-server"

    static func arguments(port: UInt16, folder: String, isDurable: Bool) -> [String] {
        [
            "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly",
            isDurable ? "yes" : "no", "--appendfsync", "always", "--maxmemory-policy", "noeviction",
            // Each rewrite forks and writes everything anew while pushes wait for the same disk: a broadcast is not to set
            // off one after another.
            "--auto-aof-rewrite-min-size", "512mb", "--auto-aof-rewrite-percentage", "300",
            "--hash-max-listpack-entries", "1024", "--hash-max-listpack-value", "4096",
            "--set-max-intset-entries", "4096",
        ]
    }

    static func isReady(_ line: String) -> Bool {
        line.contains("Ready to accept connections")
    }
}
