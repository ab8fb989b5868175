/// The services of the pipeline, each before its producers. They stop in reverse order, so that work already taken is
/// passed on.
struct PipelineService: Sendable {
    static let all = [
        PipelineService(name: "reporter", adminPort: 9469, settings: ["APPS", "REPORTER"]),
        PipelineService(name: appleSender, adminPort: 9467, settings: ["APPS", "APNS", "SENDER"]),
        PipelineService(
            name: androidSender, adminPort: 9468, settings: ["APPS", "ANDROID", "FCM", "HUAWEI", "SENDER"]),
        PipelineService(
            name: "web-sender", adminPort: 9472,
            settings: ["APPS", "WEB", "WEBPUSH", "WNS", "MPNS", "HTTP", "SENDER"]),
        PipelineService(name: "renderer", adminPort: 9466, settings: ["RENDERER"]),
        PipelineService(name: "scheduler", adminPort: 9470, settings: ["SCHEDULER"]),
        PipelineService(name: stream, adminPort: 9471, settings: ["APPS", "PEPPER", "STREAM"]),
        PipelineService(name: "targeting-resolver", adminPort: 9465, settings: ["RESOLVER"]),
        PipelineService(name: ingest, adminPort: 9464, settings: ["APPS", "PEPPER", "INGEST"]),
    ]

    /// Families (the word after `CARILLON_`) of the settings of every service. The bus of `carillon up` is its Redis,
    /// so no service gets Kafka's passwords.
    private static let commonSettings: Set = ["ADMIN", "BUS", "DRAIN", "LOG", "REDIS", "WORKER"]
    static let simulatorSettings: Set = ["SIMULATOR"]

    static let ingest = "ingest-api"
    static let appleSender = "apns-sender"
    static let androidSender = "android-sender"
    static let stream = "event-stream"
    static let simulator = "provider-simulator"
    /// These trust the simulator's certificate authority, which they read at their start.
    static let senders: Set = [appleSender, androidSender, "web-sender"]
    static let simulatorPort: UInt16 = 9480
    /// By the settings of the simulated providers whose devices have addresses: a device that was registered before
    /// a restart has the same address afterwards.
    static let simulatedAddressPorts: KeyValuePairs<String, UInt16> = [
        "CARILLON_SIMULATOR_WEBPUSH_PORT": 9481, "CARILLON_SIMULATOR_WNS_PORT": 9482,
        "CARILLON_SIMULATOR_MPNS_PORT": 9483, "CARILLON_SIMULATOR_HTTP_PORT": 9484,
    ]
    static let redisPort: UInt16 = 6379
    static let apiPort: UInt16 = 8080
    static let streamPort: UInt16 = 8081

    let name: String
    /// Preferred port.
    let adminPort: UInt16
    /// Families of settings that this service reads in addition.
    private let settings: Set<String>

    private init(name: String, adminPort: UInt16, settings: Set<String>) {
        self.name = name
        self.adminPort = adminPort
        self.settings = settings
    }

    /// Prefix of the settings of its public port; nil if it has none.
    var publicPrefix: String? {
        switch name {
        case PipelineService.ingest: "CARILLON_INGEST"
        case PipelineService.stream: "CARILLON_STREAM"
        default: nil
        }
    }

    var families: Set<String> { PipelineService.commonSettings.union(settings) }
}
