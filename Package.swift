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
    // Tests use the modules of a release build too.
    .unsafeFlags(["-enable-testing"], .when(configuration: .release)),
]

/// In a release build the standard library is inside the programs, so that an image needs no Swift runtime. A flag of
/// `swift build` for that would also be one of each compilation, and tests, which load the standard library, could not
/// use the same modules.
let programLinking: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]

/// `make fuzz` builds the fuzz targets as a program over libFuzzer; in any other build they are ordinary tests.
let isForFuzzing = Context.environment["CARILLON_FUZZ"] != nil
let isForSimulating = Context.environment["CARILLON_SIMULATION"] != nil

/// To optimize tests would take longer than it saves; histories of `make simulate` are many.
let testFeatures = isForSimulating ? features : features + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// A C module: a folder of `Shared/C/` with a module map, a shim, and the library it links.
func cModule(_ name: String, links libraries: String...) -> Target {
    .target(name: name, path: "Shared/C/\(name)", linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// Files of other languages become constants of `PackageResources`.
func shared(_ name: String, embedsFiles: Bool = false, _ dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Shared/\(name)",
        swiftSettings: features, plugins: embedsFiles ? ["EmbedFiles"] : [])
}

/// The handlers and routes of a service. Its program is apart, so that the simulation can run several services in one
/// process.
func service(_ name: String, embedsFiles: Bool = false, _ dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Services/\(name)", exclude: ["Main"],
        swiftSettings: features, plugins: embedsFiles ? ["EmbedFiles"] : [])
}

func program(_ name: String, of service: String) -> Target {
    .executableTarget(
        name: name, dependencies: [.byName(name: service)], path: "Services/\(service)/Main", swiftSettings: features,
        linkerSettings: programLinking)
}

/// A program that tests or benchmarks start as a separate process. Tests that depend on it are linked
/// with the same flags.
func testExecutable(_ name: String, linking: [LinkerSetting] = [], _ dependencies: String...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)",
        swiftSettings: features, linkerSettings: linking)
}

func testLibrary(_ name: String, _ dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)",
        swiftSettings: testFeatures)
}

func tests(_ name: String, excluding files: [String] = [], _ dependencies: String...) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)", exclude: files,
        swiftSettings: testFeatures)
}

func testFuzzers(_ name: String, _ dependencies: String...) -> Target {
    let dependencies = dependencies.map { Target.Dependency.byName(name: $0) }
    return isForFuzzing
        ? .executableTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: ["Corpus", "Replay"],
            swiftSettings: features)
        : .testTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: ["Corpus", "Driver"],
            swiftSettings: testFeatures)
}

/// `make simulate` builds the simulation as a program; in any other build it is a set of ordinary tests.
func testSimulation(_ name: String, _ dependencies: String...) -> Target {
    let dependencies = dependencies.map { Target.Dependency.byName(name: $0) }
    return isForSimulating
        ? .executableTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: ["Checks"],
            swiftSettings: features)
        : .testTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: ["Driver"],
            swiftSettings: testFeatures)
}

let package = Package(
    name: "carillon",
    products: isForSimulating ? [.executable(name: "carillon-simulate", targets: ["Simulation"])] : [],
    targets: [
        cModule("CCurl", links: "curl"),
        cModule("CEpoll"),
        cModule("CHiredis", links: "hiredis"),
        cModule("CMicroHTTPD", links: "microhttpd"),
        cModule("CNGHTTP2", links: "nghttp2"),
        cModule("COpenSSL", links: "ssl", "crypto"),
        cModule("CRDKafka", links: "rdkafka"),
        cModule("CSimdJSON", links: "simdjson"),
        cModule("CTaskHook"),
        cModule("CZlib", links: "z"),

        .executableTarget(name: "embed-files", path: "Shared/EmbedFiles/Tool", swiftSettings: features),
        .plugin(
            name: "EmbedFiles", capability: .buildTool, dependencies: ["embed-files"], path: "Shared/EmbedFiles/Plugin"),

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
        shared("RedisBus", embedsFiles: true, "Bus", "RedisClient", "ServiceKit", "Topics"),
        shared("RedisClient", "CHiredis", "ServiceKit", "TLSSocket"),
        shared("RedisStore", embedsFiles: true, "PushModel", "RedisClient", "ServiceKit", "Store"),
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
            "AndroidSender", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "ProviderKit",
            "PushModel", "RedisStore", "ServiceHost", "ServiceKit", "Signing", "Store", "TLSSocket", "Topics"),
        service(
            "APNsSender", "Apps", "Bus", "HTTP2", "JSONKit", "ProviderKit", "PushModel",
            "RedisStore", "ServiceHost", "ServiceKit", "Signing", "Store", "TaskModel", "TLSSocket", "Topics"),
        service(
            "Carillon", embedsFiles: true, "Apps", "Bus", "CommandKit", "HTTPClient", "HTTPServer", "JSONKit",
            "KafkaBus", "LocalTime", "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost",
            "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "CarillonBench", "Bus", "CommandKit", "HTTP2", "HTTPServer", "JSONKit",
            "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "TLSSocket", "Topics"),
        service(
            "EventStream", "Apps", "Bus", "HTTPServer", "JSONKit", "PushModel", "ServiceHost",
            "ServiceKit", "TaskModel", "Topics"),
        service(
            "IngestAPI", embedsFiles: true, "Apps", "Bus", "Datagrams", "HTTPClient", "HTTPServer", "JSONKit",
            "LocalTime", "PushModel", "RedisClient", "RedisStore", "RegistryLog", "Rendering", "ServiceHost",
            "ServiceKit", "Signing", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "ProviderSimulator", "HTTP2", "HTTPClient", "HTTPServer", "JSONKit",
            "PushModel", "ServiceHost", "ServiceKit", "Signing", "TLSSocket"),
        service(
            "Renderer", "Bus", "PushModel", "RedisClient", "RedisStore", "Rendering",
            "ServiceHost", "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "Reporter", "Apps", "Bus", "HTTPClient", "JSONKit", "LocalTime", "ProviderKit",
            "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "Topics"),
        service(
            "Scheduler", "Bus", "PushModel", "RedisClient", "RedisStore", "ServiceHost",
            "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "TargetingResolver", "Bus", "PushModel", "RedisClient", "RedisStore",
            "Rendering", "ServiceHost", "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        service(
            "WebSender", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "ProviderKit",
            "PushModel", "RedisStore", "ServiceHost", "ServiceKit", "Signing", "Store", "TLSSocket", "Topics"),

        program("android-sender", of: "AndroidSender"),
        program("apns-sender", of: "APNsSender"),
        program("carillon", of: "Carillon"),
        program("carillon-bench", of: "CarillonBench"),
        program("event-stream", of: "EventStream"),
        program("ingest-api", of: "IngestAPI"),
        program("provider-simulator", of: "ProviderSimulator"),
        program("renderer", of: "Renderer"),
        program("reporter", of: "Reporter"),
        program("scheduler", of: "Scheduler"),
        program("targeting-resolver", of: "TargetingResolver"),
        program("web-sender", of: "WebSender"),

        testExecutable(
            "BareLoops", linking: programLinking, "CHiredis", "CMicroHTTPD", "CRDKafka", "HTTPServer", "KafkaBus",
            "ServiceKit"),
        testExecutable("BusProbe", "Bus", "ServiceHost", "ServiceKit", "Topics"),
        testExecutable("JSONProbe", "JSONKit", "ServiceKit"),
        testExecutable("KafkaMock", "CRDKafka"),
        testExecutable(
            "RegistryProbe", "Bus", "PushModel", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost",
            "ServiceKit", "Store"),
        testLibrary("HistoryJudge", "PushModel", "Topics"),
        testLibrary(
            "ServiceHarness", "Bus", "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Store",
            "TestSupport", "Topics"),
        testLibrary(
            "TestSupport", "Bus", "JSONKit", "PushModel", "ServiceKit", "Store", "TaskKit", "TaskModel", "Topics"),
        tests(
            "AndroidSenderTests", "AndroidSender", "Apps", "Bus", "HTTP2", "HTTPClient", "JSONKit", "ProviderKit",
            "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Signing", "Store", "TestSupport",
            "TLSSocket", "Topics"),
        tests(
            "APNsSenderTests", "APNsSender", "Apps", "Bus", "HTTP2", "JSONKit", "MemoryStore", "ProviderSimulator",
            "ProviderKit", "PushModel", "RedisBus", "RedisClient", "RedisStore", "ServiceKit", "Signing", "Store",
            "TaskModel", "TestSupport", "TLSSocket", "Topics"),
        tests("AppsTests", "Apps", "JSONKit", "LocalTime", "PushModel", "ServiceKit", "Signing", "TestSupport"),
        tests("ArchitectureTests", "PushModel", "TestSupport"),
        tests("BadInputTests", "RedisClient", "ServiceKit", "TestSupport", "Topics"),
        tests(
            "BusConformanceTests", "Bus", "BusProbe", "KafkaBus", "KafkaMock", "MemoryBus", "RedisBus", "RedisClient",
            "ServiceKit", "Simulation", "TestSupport", "Topics"),
        tests(
            "BusTests", "Bus", "JSONKit", "MemoryBus", "MemoryStore", "PushModel", "ServiceKit", "Store", "TestSupport",
            "Topics"),
        tests(
            "CarillonTests", "APNsSender", "Apps", "Bus", "BusProbe", "Carillon", "CommandKit", "HTTPServer",
            "JSONKit", "KafkaBus", "KafkaMock", "MemoryBus", "MemoryStore", "ProviderSimulator", "PushModel",
            "RedisBus", "RedisClient", "RedisStore", "RegistryLog", "ServiceHost", "ServiceKit", "Store", "TaskKit",
            "TaskModel",
            "TestSupport", "Topics"),
        tests("CarillonBenchTests", "Carillon", "CarillonBench", "JSONKit", "ServiceKit", "TestSupport"),
        tests("CModulesTests", "CCurl", "CNGHTTP2", "CSimdJSON", "TestSupport"),
        tests("CommandKitTests", "CommandKit", "ServiceKit"),
        tests(
            "DocsTests", "AndroidSender", "APNsSender", "Apps", "Bus", "EventStream", "IngestAPI", "ProviderKit",
            "ProviderSimulator", "Renderer", "Reporter", "Scheduler", "ServiceHost", "ServiceKit",
            "TargetingResolver", "TestSupport", "WebSender"),
        tests(
            "EventStreamTests", "Apps", "Bus", "Carillon", "EventStream", "HTTPServer", "JSONKit", "KafkaBus",
            "KafkaMock",
            "PushModel", "RedisBus", "RedisClient", "ServiceKit", "TaskModel", "TestSupport", "Topics"),
        testFuzzers(
            "Fuzz", "Apps", "Bus", "HTTP2", "HTTPClient", "HTTPServer", "IngestAPI", "JSONKit", "LocalTime",
            "PushModel", "RedisClient", "RedisStore", "RegistryLog", "Rendering", "ServiceKit", "Signing", "Store",
            "TaskModel", "TLSSocket", "Topics"),
        tests("DatagramsTests", "Datagrams", "ServiceKit", "TestSupport"),
        tests("HTTP2Tests", "HTTP2", "ServiceKit", "TestSupport", "TLSSocket"),
        tests("HTTPClientTests", "HTTPClient", "HTTPServer", "ServiceKit", "TestSupport"),
        tests("HTTPServerTests", "HTTPServer", "ServiceKit", "TestSupport", "TLSSocket"),
        tests(
            "IngestAPITests", "Apps", "Bus", "Datagrams", "HTTPServer", "IngestAPI", "JSONKit", "LocalTime",
            "MemoryBus", "MemoryStore", "PushModel", "RedisBus", "RedisClient", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests("JSONKitTests", "JSONKit", "JSONProbe", "ServiceKit", "TestSupport"),
        tests("KafkaBusTests", "Bus", "KafkaBus", "KafkaMock", "ServiceKit", "TestSupport", "Topics"),
        tests("LocalTimeTests", excluding: ["Oracle"], "LocalTime", "ServiceKit", "TestSupport"),
        tests(
            "PipelineTests", "Bus", "HistoryJudge", "HTTPServer", "JSONKit", "KafkaBus", "PushModel", "RedisBus",
            "RedisClient", "RedisStore", "ServiceKit", "Signing", "Store", "TaskModel", "TestSupport", "Topics"),
        tests(
            "ProviderKitTests", "Apps", "Bus", "HTTP2", "HTTPClient", "MemoryBus", "MemoryStore", "ProviderKit",
            "PushModel", "ServiceKit", "Signing", "Store", "TaskKit", "TestSupport", "Topics"),
        tests(
            "ProviderSimulatorTests", "HTTP2", "HTTPServer", "JSONKit", "ProviderSimulator", "PushModel", "ServiceKit",
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
            "RendererTests", "Bus", "JSONKit", "MemoryBus", "MemoryStore", "PushModel", "RedisStore", "Renderer",
            "Rendering", "ServiceHarness", "ServiceKit", "Store", "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "RenderingTests", "JSONKit", "ProviderSimulator", "PushModel", "Rendering", "ServiceKit", "TaskModel",
            "TestSupport", "Topics"),
        tests(
            "ReporterTests", "Apps", "Bus", "HTTPClient", "HTTPServer", "JSONKit", "MemoryBus", "MemoryStore",
            "PushModel", "RedisClient", "RedisStore", "Reporter", "ServiceHarness", "ServiceKit", "Signing", "Store",
            "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "SchedulerTests", "Bus", "LocalTime", "MemoryBus", "MemoryStore", "PushModel", "RedisClient", "RedisStore",
            "Scheduler",
            "ServiceHarness", "ServiceKit", "Store", "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests(
            "SenderSimulationTests", "AndroidSender", "APNsSender", "Bus", "JSONKit", "ProviderSimulator",
            "PushModel", "RedisBus", "RedisClient", "RedisStore", "Scheduler", "ServiceKit", "Signing", "Store",
            "TestSupport", "Topics", "WebSender"),
        tests(
            "ServiceHostTests", "Bus", "BusProbe", "HTTPServer", "KafkaBus", "KafkaMock", "MemoryBus", "RedisBus",
            "RedisClient", "ServiceHost", "ServiceKit", "TestSupport", "Topics"),
        tests("ServiceKitTests", "ServiceKit", "TestSupport"),
        testSimulation(
            "Simulation", "APNsSender", "Apps", "Bus", "Carillon", "CommandKit", "CTaskHook", "HistoryJudge",
            "HTTPClient",
            "HTTPServer", "IngestAPI", "JSONKit", "LocalTime", "MemoryBus", "MemoryStore", "ProviderKit", "PushModel",
            "RegistryLog", "Renderer", "Reporter", "Scheduler", "ServiceKit", "Signing", "Store",
            "TargetingResolver", "TaskKit", "TaskModel", "Topics"),
        tests("SigningTests", "PushModel", "ServiceKit", "Signing", "TestSupport"),
        tests(
            "StoreConformanceTests", "Bus", "MemoryBus", "MemoryStore", "PushModel", "RedisClient", "RedisStore",
            "ServiceKit", "Simulation", "Store", "TaskKit", "TaskModel", "TestSupport", "Topics"),
        tests("StoreTests", "PushModel", "ServiceKit", "Store", "TestSupport"),
        tests(
            "TargetingResolverTests", "Bus", "JSONKit", "LocalTime", "MemoryBus", "MemoryStore", "PushModel",
            "RedisClient",
            "RedisStore", "ServiceHarness", "ServiceKit", "Store", "TargetingResolver", "TaskKit", "TaskModel",
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
            "TestSupport", "TLSSocket", "Topics", "WebSender"),
    ],
    // simdjson's headers select their string type by the C++ standard; an older one would not match the library.
    cxxLanguageStandard: .cxx17
)
