/// The services of the pipeline. Those that are fed stand before those that feed them: they end in the other direction,
/// so that what was taken is passed on.
struct PipelineService: Sendable {
    static let all = [
        PipelineService(name: "reporter", adminPort: 9469),
        PipelineService(name: "apns-sender", adminPort: 9467),
        PipelineService(name: "android-sender", adminPort: 9468),
        PipelineService(name: "renderer", adminPort: 9466),
        PipelineService(name: "scheduler", adminPort: 9470),
        PipelineService(name: "targeting-resolver", adminPort: 9465),
        PipelineService(name: ingest, adminPort: 9464),
    ]

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
}
