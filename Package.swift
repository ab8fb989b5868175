// swift-tools-version:6.1
import PackageDescription

let features: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// `make fuzz` builds the fuzz targets as a program over libFuzzer; in any other build they are ordinary tests.
let isForFuzzing = Context.environment["CARILLON_FUZZ"] != nil

/// A C module: a folder of `Shared/C/` with a module map, a shim, and the library it links.
func cModule(_ name: String, links libraries: String...) -> Target {
    .target(name: name, path: "Shared/C/\(name)", linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// The files are embedded as constants of `PackageResources`; of a folder, each file of it.
func shared(_ name: String, embedding files: [String] = [], _ dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Shared/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: features)
}

func service(
    _ name: String, command: String, embedding files: [String] = [], _ dependencies: String...
) -> Target {
    guard !isForFuzzing else {
        // Without its main function, so that the fuzzers, which have their own, can link it.
        return .target(
            name: command, dependencies: dependencies.map { .byName(name: $0) }, path: "Services/\(name)",
            exclude: ["App.swift", "App+build.swift"], resources: files.map { .embedInCode($0) },
            swiftSettings: features)
    }
    return .executableTarget(
        name: command, dependencies: dependencies.map { .byName(name: $0) }, path: "Services/\(name)",
        resources: files.map { .embedInCode($0) }, swiftSettings: features)
}

/// A program that tests and benchmarks start as a separate process.
func testExecutable(_ name: String, _ dependencies: String...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)",
        swiftSettings: features)
}

func testLibrary(_ name: String, _ dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)",
        swiftSettings: features)
}

func tests(_ name: String, excluding files: [String] = [], _ dependencies: String...) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)", exclude: files,
        swiftSettings: features)
}

func testFuzzers(_ name: String, _ dependencies: String...) -> Target {
    let dependencies = dependencies.map { Target.Dependency.byName(name: $0) }
    return isForFuzzing
        ? .executableTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: ["Corpus", "Replay"],
            swiftSettings: features)
        : .testTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: ["Corpus", "Driver"],
            swiftSettings: features)
}

let package = Package(
    name: "carillon",
    targets: [
        cModule("CCurl", links: "curl"),
        cModule("CEpoll"),
        cModule("CHiredis", links: "hiredis"),
        cModule("CMicroHTTPD", links: "microhttpd"),
        cModule("CNGHTTP2", links: "nghttp2"),
        cModule("COpenSSL", links: "ssl", "crypto"),
        cModule("CRDKafka", links: "rdkafka"),
        cModule("CSimdJSON", links: "simdjson"),
        cModule("CZlib", links: "z"),

        shared("Apps", "JSONKit", "LocalTime", "PushModel", "ServiceKit", "Signing"),
        shared("Bus", "ServiceKit", "Store", "Topics"),
        shared("CommandKit", "Bus", "HTTPClient", "JSONKit", "RedisClient", "ServiceHost", "ServiceKit"),
        shared("Datagrams", "CZlib", "ServiceKit"),
        shared("HTTP2", "CNGHTTP2", "ServiceKit", "TLSSocket"),
        shared("HTTPClient", "CCurl", "ServiceKit"),
        shared("HTTPServer", "CEpoll", "HTTP2", "ServiceKit", "TLSSocket"),
        shared("JSONKit", "CSimdJSON", "ServiceKit"),
        shared("KafkaBus", "Bus", "CRDKafka", "ServiceKit", "Topics"),
        shared("LocalTime", "ServiceKit"),
        shared("MemoryBus", "Bus", "ServiceKit", "Topics"),
        shared("MemoryStore", "PushModel", "ServiceKit", "Store"),
        shared(
            "ProviderKit", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "PushModel", "RedisStore", "ServiceHost",
            "ServiceKit", "Signing", "Store", "TaskKit", "Topics"),
        shared("PushModel", "ServiceKit"),
        shared("RedisBus", embedding: ["Scripts"], "Bus", "RedisClient", "ServiceKit", "Topics"),
        shared("RedisClient", "CHiredis", "ServiceKit", "TLSSocket"),
        shared(
            "RedisStore",
            embedding: [
                "Scripts/Common", "Scripts/Ledger", "Scripts/MessageStarts", "Scripts/Pacing",
                "Scripts/ProviderOutages", "Scripts/Registry", "Scripts/RetryIndex", "Scripts/Statistics",
                "Scripts/Tasks", "Scripts/Witness",
            ],
            "PushModel", "RedisClient", "ServiceKit", "Store"),
        shared("RegistryLog", "Bus", "PushModel", "ServiceKit", "Store", "Topics"),
        shared("Rendering", "JSONKit", "PushModel", "ServiceKit", "TaskModel", "Topics"),
        shared(
            "ServiceHost", "Apps", "Bus", "HTTPServer", "KafkaBus", "RedisBus", "RedisClient", "RedisStore",
            "ServiceKit", "Store", "Topics"),
        shared("ServiceKit"),
        shared("Signing", "COpenSSL", "PushModel", "ServiceKit"),
        shared("Store", "PushModel", "ServiceKit"),
        shared("TaskKit", "Bus", "LocalTime", "PushModel", "ServiceKit", "Store", "TaskModel", "Topics"),
        shared("TaskModel", "JSONKit", "LocalTime", "PushModel", "ServiceKit", "Signing"),
        shared("TLSSocket", "COpenSSL", "ServiceKit"),
        shared("Topics", "JSONKit", "PushModel", "ServiceKit", "TaskModel"),

        service(
            "AndroidSender", command: "android-sender", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "ProviderKit",
            "PushModel", "RedisStore", "ServiceHost", "ServiceKit", "Signing", "Store", "TLSSocket", "Topics"),
        service(
            "APNsSender", command: "apns-sender", "Apps", "Bus", "HTTP2", "JSONKit", "ProviderKit", "PushModel",
            "RedisStore", "ServiceHost", "ServiceKit", "Signing", "Store", "TaskModel", "TLSSocket", "Topics"),
        service(
            "Carillon", command: "carillon",
            embedding: [
                "Example/app.js", "Example/carillon-worker.js", "Example/index.html", "Example/style.css",
            ],
            "Apps", "Bus", "CommandKit", "HTTPClient", "HTTPServer", "JSONKit", "KafkaBus", "LocalTime", "PushModel",
            "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Store", "TaskKit", "TaskModel",
            "Topics"),
        service(
            "CarillonBench", command: "carillon-bench", "Bus", "CommandKit", "HTTP2", "HTTPServer", "JSONKit",
            "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "TLSSocket", "Topics"),
        service(
            "EventStream", command: "event-stream", "Apps", "Bus", "HTTPServer", "JSONKit", "PushModel", "ServiceHost",
            "ServiceKit", "TaskModel", "Topics"),
        service(
            "IngestAPI", command: "ingest-api",
            embedding: ["Browser/carillon.js", "Browser/carillon-worker.js", "Console/Pages", "openapi.yaml"], "Apps",
            "Bus", "Datagrams", "HTTPClient", "HTTPServer", "JSONKit", "LocalTime", "PushModel", "RedisClient",
            "RedisStore", "RegistryLog",
            "Rendering", "ServiceHost", "ServiceKit", "Signing", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "ProviderSimulator", command: "provider-simulator", "HTTP2", "HTTPClient", "HTTPServer", "JSONKit",
            "PushModel", "ServiceHost", "ServiceKit", "Signing", "TLSSocket"),
        service(
            "Renderer", command: "renderer", "Bus", "PushModel", "RedisClient", "RedisStore", "Rendering",
            "ServiceHost", "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "Reporter", command: "reporter", "Apps", "Bus", "HTTPClient", "JSONKit", "LocalTime", "ProviderKit",
            "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "Topics"),
        service(
            "Scheduler", command: "scheduler", "Bus", "PushModel", "RedisClient", "RedisStore", "ServiceHost",
            "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "TargetingResolver", command: "targeting-resolver", "Bus", "PushModel", "RedisClient", "RedisStore",
            "Rendering", "ServiceHost", "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "WebSender", command: "web-sender", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "ProviderKit",
            "PushModel", "ServiceHost", "ServiceKit", "Signing", "TLSSocket", "Topics"),

        testExecutable("BareLoops", "CHiredis", "CMicroHTTPD", "CRDKafka", "HTTPServer", "KafkaBus", "ServiceKit"),
        testExecutable("BusProbe", "Bus", "ServiceHost", "ServiceKit", "Topics"),
        testExecutable("JSONProbe", "JSONKit", "ServiceKit"),
        testExecutable("KafkaMock", "CRDKafka"),
        testExecutable(
            "RegistryProbe", "Bus", "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost",
            "ServiceKit", "Store"),
        testLibrary(
            "ServiceHarness", "Bus", "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Store",
            "TestSupport", "Topics"),
        testLibrary(
            "TestSupport", "Bus", "JSONKit", "PushModel", "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        tests(
            "AndroidSenderTests", "android-sender", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "ProviderKit",
            "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Signing", "Store", "TestSupport",
            "TLSSocket", "Topics"),
        tests(
            "APNsSenderTests", "apns-sender", "Apps", "Bus", "HTTP2", "JSONKit", "MemoryStore", "provider-simulator",
            "ProviderKit", "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Signing", "Store",
            "TaskModel", "TestSupport", "TLSSocket", "Topics"),
        tests("AppsTests", "Apps", "JSONKit", "LocalTime", "PushModel", "ServiceKit", "Signing", "TestSupport"),
        tests("ArchitectureTests", "PushModel", "TestSupport"),
        tests("BadInputTests", "RedisClient", "ServiceKit", "TestSupport", "Topics"),
        tests(
            "BusConformanceTests", "Bus", "BusProbe", "KafkaBus", "KafkaMock", "MemoryBus", "RedisBus", "RedisClient",
            "ServiceKit", "TestSupport", "Topics"),
        tests(
            "BusTests", "Bus", "JSONKit", "MemoryBus", "MemoryStore", "PushModel", "ServiceKit", "Store", "TestSupport",
            "Topics"),
        tests(
            "CarillonTests", "apns-sender", "Apps", "Bus", "BusProbe", "carillon", "CommandKit", "HTTPServer",
            "JSONKit", "KafkaBus", "KafkaMock", "MemoryBus", "MemoryStore", "provider-simulator", "PushModel",
            "RedisBus", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Store", "TaskKit",
            "TaskModel",
            "TestSupport", "Topics"),
        tests("CarillonBenchTests", "carillon", "carillon-bench", "JSONKit", "ServiceKit", "TestSupport"),
        tests("CModulesTests", "CCurl", "CNGHTTP2", "CSimdJSON", "TestSupport"),
        tests("CommandKitTests", "CommandKit", "ServiceKit"),
        tests(
            "DocsTests", "android-sender", "apns-sender", "Apps", "Bus", "event-stream", "ingest-api", "ProviderKit",
            "provider-simulator", "renderer", "reporter", "scheduler", "ServiceHost", "ServiceKit",
            "targeting-resolver", "TestSupport", "web-sender"),
        tests(
            "EventStreamTests", "Apps", "Bus", "carillon", "event-stream", "HTTPServer", "JSONKit", "KafkaBus",
            "KafkaMock",
            "PushModel", "RedisBus", "RedisClient", "ServiceKit", "TaskModel", "TestSupport", "Topics"),
        testFuzzers(
            "Fuzz", "Apps", "Bus", "HTTP2", "HTTPClient", "HTTPServer", "ingest-api", "JSONKit", "LocalTime",
            "PushModel", "RedisClient", "RedisStore", "RegistryLog", "Rendering", "ServiceKit", "Signing", "Store",
            "TaskModel", "TLSSocket", "Topics"),
        tests("DatagramsTests", "Datagrams", "ServiceKit", "TestSupport"),
        tests("HTTP2Tests", "HTTP2", "ServiceKit", "TestSupport", "TLSSocket"),
        tests("HTTPClientTests", "HTTPClient", "HTTPServer", "ServiceKit", "TestSupport"),
        tests("HTTPServerTests", "HTTPServer", "ServiceKit", "TestSupport", "TLSSocket"),
        tests(
            "IngestAPITests", "Apps", "Bus", "Datagrams", "HTTPServer", "ingest-api", "JSONKit", "LocalTime",
            "MemoryBus", "MemoryStore", "PushModel", "RedisBus", "RedisClient", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests("JSONKitTests", "JSONKit", "JSONProbe", "ServiceKit", "TestSupport"),
        tests("KafkaBusTests", "Bus", "KafkaBus", "KafkaMock", "ServiceKit", "TestSupport", "Topics"),
        tests("LocalTimeTests", excluding: ["Oracle"], "LocalTime", "ServiceKit", "TestSupport"),
        tests(
            "PipelineTests", "Bus", "HTTPServer", "JSONKit", "KafkaBus", "PushModel", "RedisBus", "RedisClient",
            "RedisStore", "ServiceKit", "Signing", "Store", "TaskModel", "TestSupport", "Topics"),
        tests(
            "ProviderKitTests", "Apps", "Bus", "HTTP2", "HTTPClient", "MemoryBus", "MemoryStore", "ProviderKit",
            "PushModel", "ServiceKit", "Signing", "Store", "TaskKit", "TestSupport", "Topics"),
        tests(
            "ProviderSimulatorTests", "HTTP2", "HTTPServer", "JSONKit", "provider-simulator", "PushModel", "ServiceKit",
            "Signing", "TestSupport", "TLSSocket"),
        tests("PushModelTests", "PushModel", "ServiceKit", "TestSupport"),
        tests(
            "RedisBusTests", "Bus", "RedisBus", "RedisClient", "ServiceHarness", "ServiceKit", "TestSupport", "Topics"),
        tests("RedisClientTests", "RedisClient", "ServiceKit", "TestSupport", "TLSSocket"),
        tests(
            "RedisStoreTests", "PushModel", "RedisClient", "RedisStore", "ServiceHarness", "ServiceKit", "Store",
            "TestSupport"),
        tests(
            "RegistryLogTests", "Bus", "KafkaBus", "KafkaMock", "MemoryBus", "PushModel", "RedisClient", "RedisStore",
            "RegistryLog", "RegistryProbe", "ServiceKit", "Store", "TestSupport", "Topics"),
        tests(
            "RendererTests", "Bus", "JSONKit", "MemoryBus", "MemoryStore", "PushModel", "RedisStore", "renderer",
            "Rendering", "ServiceHarness", "ServiceKit", "Store", "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "RenderingTests", "JSONKit", "provider-simulator", "PushModel", "Rendering", "ServiceKit", "TaskModel",
            "TestSupport", "Topics"),
        tests(
            "ReporterTests", "Apps", "Bus", "HTTPClient", "HTTPServer", "JSONKit", "MemoryBus", "MemoryStore",
            "PushModel", "RedisClient", "RedisStore", "reporter", "ServiceHarness", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "SchedulerTests", "Bus", "LocalTime", "MemoryBus", "MemoryStore", "PushModel", "RedisClient", "RedisStore",
            "scheduler",
            "ServiceHarness", "ServiceKit", "Store", "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "SenderSimulationTests", "android-sender", "apns-sender", "Bus", "JSONKit", "provider-simulator",
            "PushModel", "RedisBus", "RedisClient", "RedisStore", "scheduler", "ServiceKit", "Signing", "Store",
            "TestSupport", "Topics", "web-sender"),
        tests(
            "ServiceHostTests", "Bus", "BusProbe", "HTTPServer", "KafkaBus", "KafkaMock", "MemoryBus", "RedisBus",
            "RedisClient", "ServiceHost", "ServiceKit", "TestSupport", "Topics"),
        tests("ServiceKitTests", "ServiceKit", "TestSupport"),
        tests("SigningTests", "PushModel", "ServiceKit", "Signing", "TestSupport"),
        tests(
            "StoreConformanceTests", "Bus", "MemoryBus", "MemoryStore", "PushModel", "RedisClient", "RedisStore",
            "ServiceKit", "Store", "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests("StoreTests", "PushModel", "ServiceKit", "Store", "TestSupport"),
        tests(
            "TargetingResolverTests", "Bus", "JSONKit", "LocalTime", "MemoryBus", "MemoryStore", "PushModel",
            "RedisClient",
            "RedisStore", "ServiceHarness", "ServiceKit", "Store", "targeting-resolver", "TaskKit", "TaskModel",
            "TestSupport", "Topics"),
        tests(
            "TaskKitTests", "Bus", "LocalTime", "MemoryBus", "MemoryStore", "PushModel", "ServiceKit", "Store",
            "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests("TaskModelTests", "JSONKit", "LocalTime", "PushModel", "ServiceKit", "TaskModel", "TestSupport"),
        tests("TestSupportTests", "ServiceKit", "TestSupport"),
        tests("TLSSocketTests", "ServiceKit", "TestSupport", "TLSSocket"),
        tests("TopicsTests", "JSONKit", "LocalTime", "PushModel", "ServiceKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "WebSenderTests", "Apps", "Bus", "HTTP2", "HTTPClient", "HTTPServer", "JSONKit", "MemoryStore",
            "ProviderKit", "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Signing", "Store",
            "TestSupport", "TLSSocket", "Topics", "web-sender"),
    ],
    // simdjson's headers select their string type by the C++ standard; an older one would not match the library.
    cxxLanguageStandard: .cxx17
)
