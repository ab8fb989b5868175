/// Who may import whom: a new edge between two targets is granted here. `docs/architecture.md` shows the same table; a
/// test compares the two.
enum ImportRules {
    struct Library: Equatable {
        let name: String
        let owns: String
        let mayImport: [String]

        init(_ name: String, owns: String, mayImport: [String] = []) {
            self.name = name
            self.owns = owns
            self.mayImport = mayImport
        }
    }

    static let libraries = [
        Library(
            "PushModel", owns: "device tokens, app and task ids, delivery outcomes: plain values",
            mayImport: ["ServiceKit"]),
        Library(
            "TaskModel", owns: "tasks: targets, contents, options",
            mayImport: ["JSONKit", "LocalTime", "PushModel", "ServiceKit", "Signing"]),
        Library(
            "Topics", owns: "every topic, its message type and its encoding",
            mayImport: ["JSONKit", "PushModel", "ServiceKit", "TaskModel"]),
        Library("LocalTime", owns: "time zones, local times, quiet hours", mayImport: ["ServiceKit"]),
        Library("ServiceKit", owns: "lifecycle, configuration, logs, metrics, retry policy, clock, text"),
        Library(
            "Bus", owns: "producer and consumer protocols, worker loop, dead letters",
            mayImport: ["ServiceKit", "Store", "Topics"]),
        Library(
            "ServiceHost", owns: "admin port, choice of bus driver, start and stop of a service, shared clients",
            mayImport: [
                "Apps", "Bus", "HTTPServer", "KafkaBus", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Store",
                "Topics",
            ]),
        Library(
            "CommandKit", owns: "command lines, terminal, servers that a command starts",
            mayImport: ["Bus", "HTTPClient", "JSONKit", "RedisClient", "ServiceHost", "ServiceKit"]),
        Library(
            "TLSSocket", owns: "one TLS socket for Redis and HTTP/2, SHA-1 for Redis",
            mayImport: ["COpenSSL", "ServiceKit"]),
        Library(
            "RedisClient", owns: "connections, pipelining, scripts, cluster routing over hiredis",
            mayImport: ["CHiredis", "ServiceKit", "TLSSocket"]),
        Library("KafkaBus", owns: "Bus over librdkafka", mayImport: ["Bus", "CRDKafka", "ServiceKit", "Topics"]),
        Library("RedisBus", owns: "Bus over Redis Streams", mayImport: ["Bus", "RedisClient", "ServiceKit", "Topics"]),
        Library("MemoryBus", owns: "Bus in memory", mayImport: ["Bus", "ServiceKit", "Topics"]),
        Library(
            "Store", owns: "registry, ledger, schedules: the contract that both stores keep",
            mayImport: ["PushModel", "ServiceKit"]),
        Library(
            "RedisStore", owns: "registry, ledger, schedules: every other Redis key and script",
            mayImport: ["PushModel", "RedisClient", "ServiceKit", "Store"]),
        Library(
            "MemoryStore", owns: "registry, ledger, schedules in memory",
            mayImport: ["PushModel", "ServiceKit", "Store"]),
        Library(
            "RegistryLog", owns: "the registry as a log: records, journal, projector, rebuild",
            mayImport: ["Bus", "PushModel", "ServiceKit", "Store", "Topics"]),
        Library(
            "Apps", owns: "app files, credentials, scopes",
            mayImport: ["JSONKit", "LocalTime", "PushModel", "ServiceKit", "Signing"]),
        Library(
            "Datagrams", owns: "UDP sockets for reception, and zlib", mayImport: ["CZlib", "ServiceKit"]),
        Library("HTTPServer", owns: "the HTTP server", mayImport: ["CEpoll", "HTTP2", "ServiceKit", "TLSSocket"]),
        Library("HTTP2", owns: "libnghttp2", mayImport: ["CNGHTTP2", "ServiceKit", "TLSSocket"]),
        Library("HTTPClient", owns: "libcurl", mayImport: ["CCurl", "ServiceKit"]),
        Library(
            "Signing", owns: "OpenSSL's keys, signatures and hashes",
            mayImport: ["COpenSSL", "PushModel", "ServiceKit"]),
        Library("JSONKit", owns: "simdjson", mayImport: ["CSimdJSON", "ServiceKit"]),
        Library(
            "Rendering", owns: "from a publisher's task to a provider's payloads, with their limits",
            mayImport: ["JSONKit", "PushModel", "ServiceKit", "TaskModel", "Topics"]),
        Library(
            "TaskKit", owns: "shared by services: a task's content, devices ended without a sender, judges, results",
            mayImport: ["Bus", "LocalTime", "PushModel", "ServiceKit", "Store", "TaskModel", "Topics"]),
        Library(
            "ProviderKit", owns: "what senders share: gateways, outcome policy, dispatch chunks",
            mayImport: [
                "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "PushModel", "RedisStore", "ServiceHost", "ServiceKit",
                "Signing", "Store", "TaskKit", "Topics",
            ]),
    ]

    /// Test targets that use a C library directly: the mock broker, the bare loops of the benchmarks, the tests of the
    /// C modules, and those of KafkaBus, which call librdkafka's test function that makes a producer fatal. All others
    /// test through the library that owns the module.
    static let cModuleTestTargets: Set = ["BareLoops", "CModulesTests", "KafkaBusTests", "KafkaMock", "Simulation"]

    /// System modules that every target may import.
    static let systemModules: Set = ["Dispatch", "Glibc", "Synchronization"]

    /// Foundation makes a static executable seven times as large, so each target that links it gives a reason.
    static let foundationReasons: [String: String] = [:]

    static func isCModule(_ name: String) -> Bool {
        let letters = Array(name.unicodeScalars.prefix(2))
        return letters.count == 2 && letters[0] == "C" && letters[1].properties.isUppercase
    }
}
