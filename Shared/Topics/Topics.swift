package import PushModel

/// Every topic of the house, in the order in which a push meets them. `docs/topics.md` is compared with this file by a
/// test.
package enum Topics {
    /// Kafka's replication and one machine's disk allow no larger message; a chunk of devices stays well below.
    package static let messageBytesMaximum = 256 * 1024
    package static let keyBytesMaximum = 4 * 1024
    /// Names and values of one message's headers together.
    package static let headersBytesMaximum = 16 * 1024

    /// Accepted tasks. Forward: at the bound ingest answers 503 rather than accept what it cannot store.
    package static let tasks = Topic<TaskMessage>(
        TopicDeclaration(
            "tasks", kind: .work, admission: .forward, partitions: hot, key: "task",
            from: ["ingest-api", "scheduler", "carillon"], to: ["targeting-resolver", "event-stream"]))

    /// The parts of long lists, apart from `tasks`, where single pushes would wait behind them. No push of few devices has
    /// any here: its parts come before it on `tasks`.
    package static let lists = Topic<TaskMessage>(
        TopicDeclaration(
            "lists", kind: .work, admission: .forward, partitions: warm, key: "task",
            from: ["ingest-api"], to: ["targeting-resolver"]))

    /// What publishers asked to be sent later. On Kafka it is the truth behind the scheduler's index.
    package static let schedules = Topic<OpaqueMessage>(
        TopicDeclaration(
            "schedules", kind: .work, admission: .forward, cleanup: .compaction, partitions: warm, key: "task",
            from: ["ingest-api"], to: ["scheduler"]))

    /// One job a segment (or a part of a device list) of a task, shared by all resolvers. A task for few is resolved at
    /// once and has no jobs, so that there is no fast lane.
    package static let segments = Topic<SegmentJob>(
        TopicDeclaration(
            "segments", kind: .work, admission: .forward, stage: .resolving, lanes: [.bulk], partitions: hot,
            key: "task and segment", from: ["targeting-resolver", "scheduler"], to: ["targeting-resolver"]))

    /// Chunks of targeted devices.
    package static let audience = Topic<AudienceChunk>(
        TopicDeclaration(
            "audience", kind: .work, admission: .forward, stage: .resolving, lanes: Lane.allCases, partitions: hot,
            key: "task and segment",
            from: ["targeting-resolver", "scheduler"], to: ["renderer"]))

    package static let dispatchAPNs = dispatch("apns", to: "apns-sender")
    package static let dispatchAndroid = dispatch("android", to: "android-sender")
    package static let dispatchWeb = dispatch("web", to: "web-sender")

    /// Devices to be tried again later. Draining: senders and renderers must be able to hand back what they cannot send.
    package static let retries = Topic<RetryOrder>(
        TopicDeclaration(
            "retries", kind: .work, admission: .draining, lanes: Lane.allCases, partitions: hot,
            key: "task and segment",
            from: senders + ["renderer"], to: ["scheduler"]))

    /// What became of devices, many outcomes a message.
    package static let results = Topic<ResultBatch>(
        TopicDeclaration(
            "results", kind: .work, admission: .draining, partitions: hot, key: "task and segment",
            from: senders + ["renderer", "reporter", "scheduler", "targeting-resolver", "ingest-api", "carillon"],
            to: ["reporter"]))

    /// Closed tasks with their sums.
    package static let reports = Topic<TaskReport>(
        TopicDeclaration(
            "reports", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: warm, key: "task",
            from: ["reporter"], to: ["analysts"]))

    /// Reports for endpoints that did not take them while patience lasted. Only what is replayed from `dead` comes here.
    package static let webhooks = Topic<ReportPost>(
        TopicDeclaration(
            "webhooks", kind: .work, admission: .draining, partitions: .init(kafka: 4, embedded: 1), key: "task",
            from: ["carillon"], to: ["reporter"]))

    /// Devices that are gone, for those who keep their own lists.
    package static let feedback = Topic<DeviceFeedback>(
        TopicDeclaration(
            "feedback", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: warm,
            key: "app and device",
            from: ["reporter"], to: ["analysts"]))

    /// Every change of the registry. The number of partitions is for ever: a key must keep its place.
    package static let registry = Topic<OpaqueMessage>(
        TopicDeclaration(
            "registry", kind: .log, admission: .draining, cleanup: .compaction,
            partitions: .init(kafka: 64, embedded: 4), key: "app, segment and record",
            from: ["ingest-api", "reporter"], to: ["ingest-api"]))

    /// Messages that were given up: the original bytes and headers, with the reason in headers of their own.
    package static let dead = Topic<OpaqueMessage>(
        TopicDeclaration(
            "dead", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: .init(kafka: 4, embedded: 1),
            key: "as the message had it", from: ["every worker"], to: ["carillon"]))

    package static let all: [TopicDeclaration] = [
        tasks.declaration, lists.declaration, schedules.declaration, segments.declaration, audience.declaration,
        dispatchAPNs.declaration, dispatchAndroid.declaration, dispatchWeb.declaration, retries.declaration,
        results.declaration, reports.declaration, webhooks.declaration, feedback.declaration, registry.declaration,
        dead.declaration,
    ]

    /// The topic or lane of that name, such as `audience.fast`.
    package static func channel(named name: String) -> Channel? {
        all.lazy.flatMap(\.channels).first { $0.name == name }
    }

    /// The key of messages about devices of one segment.
    package static func key(_ task: TaskID, segment: SegmentNumber) -> [UInt8] {
        Array("\(task):\(segment)".utf8)
    }

    private static let hot = TopicDeclaration.Partitions(kafka: 24, embedded: 4)
    private static let warm = TopicDeclaration.Partitions(kafka: 12, embedded: 2)
    private static let senders = ["apns-sender", "android-sender", "web-sender"]

    /// Rendered chunks for one family of providers.
    private static func dispatch(_ family: String, to sender: String) -> Topic<DispatchChunk> {
        Topic(
            TopicDeclaration(
                "dispatch.\(family)", kind: .work, admission: .forward, stage: .rendering, lanes: Lane.allCases,
                partitions: hot, key: "task and segment", from: ["renderer"], to: [sender]))
    }
}
