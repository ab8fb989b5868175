import Bus
import PushModel
import RedisClient
import RedisStore
import ServiceHarness
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

/// A registry, a ledger, an archive and an agenda, for the real reporter.
final class ReporterHarness: Sendable {
    let registry: RedisRegistry
    private let base: ServiceHarness
    private let folder = TemporaryDirectory("reporter")

    /// Creates an app whose reports, or states of messages, go to this address.
    init(endpoint: String, isWebhook: Bool = false) async throws {
        base = try await ServiceHarness()
        registry = try await base.openRegistry()
        folder.write("secret", content: "s3cret\n")
        folder.write(
            "news.json",
            content: isWebhook
                ? #"{"webhook":{"url":"\#(endpoint)","secret_file":"secret"}}"#
                : #"{"report":{"url":"\#(endpoint)"}}"#)
    }

    var app: AppID { base.app }
    var agenda: RedisTaskAgenda { base.agenda }

    func startReporter() async throws -> ChildProcess {
        let settings = [
            "CARILLON_REPORTER_LEASE": "2s", "CARILLON_APPS": folder.path,
            "CARILLON_REPORTER_ALLOW_ADDRESSES": "127.0.0.1", "CARILLON_REPORTER_WEBHOOK_DEADLINE": "1s",
        ]
        return try await base.start("reporter", settings: settings)
    }

    /// Changes the store's format, as a later version would.
    func upgradeStore(to format: Int) async throws {
        _ = try await base.redis.send(RedisCommand("HSET", "witness", "format", RedisArgument(format)))
    }

    func register(_ count: Int) async throws -> [DeviceID] {
        try await registry.registerSamples(0..<count, in: app)
    }

    /// Creates tasks that are accepted, planned and marked, with their usual due time.
    func begin(_ count: Int, devices: [DeviceID], areMessages: Bool = false) async throws -> [TaskID] {
        let now = SystemTimeSource().now
        var tasks: [TaskID] = []
        for number in 0..<count {
            var task = PushTask(id: TaskID(high: 3, low: UInt64(number)), app: app, created: now)
            if areMessages {
                task.window = DeliveryWindow(
                    from: now, to: now + .seconds(3_600), user: try Samples.user("user-\(number)"), method: .traditional
                )
            }
            try await base.archive.keep(
                TaskMessage.task(task).encoded(), of: task.id,
                entry: TaskEntry(app: app, begins: now, deadline: task.deadline))
            _ = try await base.ledger.plan(task.id, as: Samples.plan(app, until: task.deadline, isFast: true))
            try await agenda.enter(task.id, due: now + .seconds(2))
            for (segment, ids) in Dictionary(grouping: devices, by: \.index.segment) {
                _ = try await base.ledger.mark(
                    SegmentSet(ids.map(\.index.offset)), of: task.id, in: SegmentID(app, number: segment))
            }
            try await base.ledger.resolve(job: 0, unmatched: 0, of: task.id)
            tasks.append(task.id)
        }
        return tasks
    }

    /// Does the work of the resolver or the scheduler: tells that messages are accepted.
    func accept(_ tasks: [TaskID]) async throws {
        try await base.send(
            tasks.map {
                Topics.statuses.message(.acceptance(MessageAcceptance(task: $0, app: app)), key: Topics.key($0))
            })
    }

    /// Does the work of senders: claims and settles the devices, and sends the results. Their time is slightly in the
    /// future, so that no device counts as registered again.
    func end(_ devices: [DeviceID], of tasks: [TaskID], as state: DeliveryState) async throws {
        for task in tasks {
            for (segment, ids) in Dictionary(grouping: devices, by: \.index.segment) {
                let (place, offsets) = (SegmentID(app, number: segment), ids.map(\.index.offset))
                let claim = ClaimID(owner: UInt64(state.rawValue), number: UInt64(segment.rawValue))
                let request = ClaimRequest(
                    id: claim, offsets: offsets, attempt: 0, lease: .seconds(90), countsBadge: false)
                _ = try await base.ledger.claim(request, of: task, in: place)
                let group = Settlement.Group(offsets: offsets, state: state, attempt: 0)
                _ = try await base.ledger.settle(Settlement(claim: claim, groups: [group]), of: task, in: place)
            }
            let results = devices.map { device in
                DeviceResult(device: device, provider: .apns, state: state, attempt: 0, status: 200, reason: "")
            }
            let time = SystemTimeSource().now + .seconds(2)
            let batch = ResultBatch(task: task, app: app, time: time, results: results)
            try await base.send([Topics.results.message(batch, key: batch.key)])
        }
    }

    func report(of task: TaskID) async throws -> [UInt8]? {
        try await base.archive.report(of: task)
    }

    func read<Message>(_ topic: Topic<Message>) async throws -> [Message] {
        try await base.scan(topic.channel).map { try Message(decoding: $0.value) }
    }
}
