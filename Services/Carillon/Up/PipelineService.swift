/// The services of the pipeline. Those that are fed stand before those that feed them: they end in the other direction,
/// so that what was taken is passed on.
struct PipelineService: Sendable {
    static let all = [
        PipelineService(name: "reporter", adminPort: 9469, settings: ["APPS", "REPORTER"]),
        PipelineService(name: "apns-sender", adminPort: 9467, settings: ["APPS", "APNS", "SENDER"]),
        PipelineService(
            name: "android-sender", adminPort: 9468, settings: ["APPS", "ANDROID", "FCM", "HUAWEI", "SENDER"]),
        PipelineService(name: "renderer", adminPort: 9466, settings: ["RENDERER"]),
        PipelineService(name: "scheduler", adminPort: 9470, settings: ["SCHEDULER"]),
        PipelineService(name: "targeting-resolver", adminPort: 9465, settings: ["RESOLVER"]),
        PipelineService(name: ingest, adminPort: 9464, settings: ["APPS", "PEPPER", "INGEST"]),
    ]

    /// The words after `CARILLON_` of what every service reads. The bus of `carillon up` is its Redis, so Kafka's
    /// passwords are nobody's.
    private static let commonSettings: Set = ["ADMIN", "BUS", "DRAIN", "LOG", "REDIS", "WORKER"]
    static let simulatorSettings: Set = ["SIMULATOR"]

    static let ingest = "ingest-api"
    static let simulator = "provider-simulator"
    /// They trust the simulator's authority, which is read at the start.
    static let senders: Set = ["apns-sender", "android-sender"]
    static let simulatorPort: UInt16 = 9480
    static let redisPort: UInt16 = 6379
    static let apiPort: UInt16 = 8080

    let name: String
    /// Tried first.
    let adminPort: UInt16
    /// The words after `CARILLON_` of what this service reads besides.
    private let settings: Set<String>

    private init(name: String, adminPort: UInt16, settings: Set<String>) {
        self.name = name
        self.adminPort = adminPort
        self.settings = settings
    }

    var families: Set<String> { PipelineService.commonSettings.union(settings) }
}
