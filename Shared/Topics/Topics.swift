package import PushModel
package import TaskModel

/// All topics, in the order in which a push passes them. A test compares `docs/topics.md` with this file.
package enum Topics {
    /// Limited by Kafka's replication and a single machine's disk; a chunk of devices is well below this.
    package static let messageBytesMaximum = 256 * 1024
    package static let keyBytesMaximum = 4 * 1024
    /// Names and values of one message's headers together.
    package static let headersBytesMaximum = 16 * 1024

    /// Accepted tasks. Forward: at the bound ingest answers 503 instead of accepting a task it cannot store.
    package static let tasks = Topic<TaskMessage>(
        TopicDeclaration(
            "tasks", kind: .work, admission: .forward, partitions: hot, key: "task",
            from: ["ingest-api", "scheduler", "carillon"], to: ["targeting-resolver"]))

    /// Parts of long lists, apart from `tasks`, where single pushes would wait behind them. A push to few devices has
    /// none here: its parts precede it on `tasks`.
    package static let lists = Topic<TaskMessage>(
        TopicDeclaration(
            "lists", kind: .work, admission: .forward, partitions: warm, key: "task",
            from: ["ingest-api"], to: ["targeting-resolver"]))

    /// Tasks that are to be sent later, and the parts of their lists. On Kafka this topic is the source of truth for
    /// the scheduler's index; a released task's records are replaced by tombstones.
    package static let schedules = Topic<ScheduleRecord>(
        TopicDeclaration(
            "schedules", kind: .work, admission: .forward, cleanup: .compaction, partitions: warm,
            key: "task, or task and part", from: ["ingest-api", "scheduler"], to: ["scheduler"]))

    /// One job for each segment (or part of a device list) of a task, shared by all resolvers. A task for few devices
    /// is resolved immediately, without jobs, so there is no fast lane.
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

    /// Devices to be retried or released later. Draining: senders and renderers must always be able to return devices.
    package static let retries = Topic<RetryOrder>(
        TopicDeclaration(
            "retries", kind: .work, admission: .draining, lanes: Lane.allCases, partitions: hot,
            key: "task and segment",
            from: senders + ["renderer", "targeting-resolver"], to: ["scheduler"]))

    /// Outcomes of devices, many in each message.
    package static let results = Topic<ResultBatch>(
        TopicDeclaration(
            "results", kind: .keptWork, admission: .draining, partitions: hot, key: "task and segment",
            from: senders + ["renderer", "reporter", "scheduler", "targeting-resolver", "ingest-api", "carillon"],
            to: ["reporter"]))

    /// Reports of closed tasks.
    package static let reports = Topic<TaskReport>(
        TopicDeclaration(
            "reports", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: warm, key: "task",
            from: ["reporter"], to: ["analysts"]))

    /// Accepted messages to single users, and devices that change their class, for the webhooks of their apps. What
    /// becomes of a message is on `results` and `receipts`. The key keeps the transitions of a device in order.
    package static let statuses = Topic<StatusNotice>(
        TopicDeclaration(
            "statuses", kind: .work, admission: .draining, partitions: warm, key: "task, or app and device",
            from: ["scheduler", "targeting-resolver", "ingest-api", "reporter"], to: ["reporter"]))

    /// Reports and states of messages that endpoints did not accept in time. Only replays from `dead` are sent here.
    package static let webhooks = Topic<WebhookPost>(
        TopicDeclaration(
            "webhooks", kind: .work, admission: .draining, partitions: .init(kafka: 4, embedded: 1),
            key: "task, or app",
            from: ["carillon"], to: ["reporter"]))

    /// Removed devices, for systems that keep their own lists.
    package static let feedback = Topic<DeviceFeedback>(
        TopicDeclaration(
            "feedback", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: warm,
            key: "app and device",
            from: ["reporter"], to: ["analysts"]))

    /// What devices report about their pushes, proven; many in each message.
    package static let receipts = Topic<ReceiptBatch>(
        TopicDeclaration(
            "receipts", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: warm, key: "task",
            from: ["ingest-api"], to: ["reporter", "analysts"]))

    /// Planned tasks for everyone who listens to their topics. Each instance of `event-stream` reads all of them,
    /// without a group. The key keeps the tasks of an app in order.
    package static let events = Topic<ListenerEvent>(
        TopicDeclaration(
            "events", kind: .log, admission: .draining, cleanup: .brief, partitions: .init(kafka: 4, embedded: 2),
            key: "app", from: ["targeting-resolver"], to: ["event-stream", "analysts"]))

    /// Every change of the registry. The number of partitions is permanent: a key must keep its partition.
    package static let registry = Topic<OpaqueMessage>(
        TopicDeclaration(
            "registry", kind: .log, admission: .draining, cleanup: .compaction,
            partitions: .init(kafka: 64, embedded: 4), key: "app, segment and record",
            from: ["ingest-api", "reporter"], to: ["ingest-api"]))

    /// Dead-lettered messages: the original bytes and headers, and the reason in additional headers.
    package static let dead = Topic<OpaqueMessage>(
        TopicDeclaration(
            "dead", kind: .log, admission: .draining, cleanup: .age(days: 30), partitions: .init(kafka: 4, embedded: 1),
            key: "as in the original message", from: ["every worker"], to: ["carillon", "ingest-api"]))

    package static let all: [TopicDeclaration] = [
        tasks.declaration, lists.declaration, schedules.declaration, segments.declaration, audience.declaration,
        dispatchAPNs.declaration, dispatchAndroid.declaration, dispatchWeb.declaration, retries.declaration,
        results.declaration, reports.declaration, statuses.declaration, webhooks.declaration, feedback.declaration,
        receipts.declaration, events.declaration, registry.declaration, dead.declaration,
    ]

    /// The topic or lane of that name, such as `audience.fast`.
    package static func channel(named name: String) -> Channel? {
        all.lazy.flatMap(\.channels).first { $0.name == name }
    }

    /// The topic on which the parts of a list of this length precede their task.
    package static func parts(of list: TargetList) -> Topic<TaskMessage> {
        list.entryCount > TargetList.atOnceMaximum ? lists : tasks
    }

    /// The key of a task and its parts, which keeps them in order on a topic.
    package static func key(_ task: TaskID) -> [UInt8] { Array(task.key.utf8) }

    /// The key of a part on `schedules`, where each record replaces the one before with its key.
    package static func key(_ task: TaskID, part: Int) -> [UInt8] { Array("\(task.key)/\(part)".utf8) }

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
