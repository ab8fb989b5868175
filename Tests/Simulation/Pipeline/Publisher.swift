import Bus
import HTTPServer
import LocalTime
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

@testable import Apps
@testable import IngestAPI

/// The store has lost the task, and a rebuild may bring it back.
struct UnknownTaskError: Error {}

/// The part of `ingest-api` behind its routes: accepts drafts, cancels tasks, and hears of users' good moments.
struct Publisher: Sendable {
    let seam: Seam
    private let archive: any TaskArchive
    private let submission: TaskSubmission
    private let cancellation: TaskCancellation
    private let release: MomentRelease
    private let audiences: AudienceBook
    private let transfers: TransferAcceptance
    private let classes: DeviceClasses
    private let receipts: ReceiptRoutes
    private let moments: any UserMoments
    /// Runs while the process does.
    let releasedTasks: any Service

    init(_ parts: PipelineParts) async throws {
        let (world, seam) = (parts.world, parts.seam)
        self.seam = seam
        let producer = try await parts.producer(patience: .seconds(5))
        let access = TaskAccess(
            archive: parts.archive, ledger: parts.ledger, agenda: parts.agenda, index: parts.retries,
            traces: SimulatedTaskTraces(base: world.traces, seam: seam), receipts: parts.receipts,
            statistics: SimulatedTaskStatistics(base: world.statistics, seam: seam),
            deviceTasks: SimulatedDeviceTasks(base: world.deviceTasks, seam: seam),
            replacements: parts.replacements, moments: parts.moments, opens: world.opens,
            keys: SimulatedIdempotencyStore(base: world.keys, seam: seam), producer: producer, bus: parts.bus,
            outages: parts.outages, failingServers: MemoryFailingServers(time: seam.clock),
            room: StoreRoom(percentUsed: { world.isFull ? 100 : 0 }, percentMaximum: 70))
        archive = parts.archive
        cancellation = TaskCancellation(
            ledger: parts.ledger, agenda: parts.agenda, producer: producer, reader: parts.registry,
            isRegistryReady: { try await parts.registry.state() == .ready }, environment: parts.environment)
        let queue = ReleasedTaskQueue(
            ReleaseCleanup(
                TaskSchedule(archive: parts.archive, index: parts.retries, moments: parts.moments),
                index: parts.retries, producer: producer, hasLog: true),
            environment: parts.environment)
        releasedTasks = queue
        moments = parts.moments
        release = MomentRelease(
            archive: parts.archive, replacements: parts.replacements, producer: producer, queue: queue,
            isRegistryReady: { try await parts.registry.state() == .ready })
        let reading = BodyReading()
        submission = TaskSubmission(
            access, cancellation: cancellation, reading: reading, idempotencyLease: .seconds(15),
            environment: parts.environment)
        classes = DeviceClasses(registry: parts.registry, producer: producer, time: parts.environment.time)
        receipts = ReceiptRoutes(access, reading: reading, environment: parts.environment)
        audiences = AudienceBook(store: parts.registry)
        transfers = TransferAcceptance(
            transfers: parts.registry, submission: submission, reading: reading, time: parts.environment.time,
            random: parts.environment.random)
    }

    /// Returns the id in the answer.
    func publish(_ draft: TaskDraft, key: String) async throws -> TaskID {
        let response = try await submission.submit(
            HTTPRequest(method: .post, path: "/v1/tasks"), of: caller(),
            key: SubmissionKey(name: key, fingerprint: Array(key.utf8)), drafts: { _ in [try await expanded(draft)] },
            answer: { tasks in HTTPResponse(.accepted, body: .bytes(Array("\(tasks[0].id)".utf8))) })
        guard case .bytes(let body) = response.body, let id = TaskID(String(decoding: body, as: UTF8.self)) else {
            preconditionFailure("an answer without an id")
        }
        return id
    }

    /// Returns the task of a request to `send-batch`.
    func publish(batch body: [UInt8], in group: TransferGroup) async throws -> TaskID {
        let request = HTTPRequest(method: .post, path: "/push/v1/send-batch", body: HTTPRequestBody(body))
        let (outline, fingerprint) = try await transfers.read(request, account: nil)
        let transfer = try await transfers.accept(
            outline, fingerprint: fingerprint, in: group, request: request, of: caller())
        guard let id = transfer.tasks.first, transfer.tasks.count == 1 else {
            preconditionFailure("a batch that names each device once is one task")
        }
        return id
    }

    private func expanded(_ draft: TaskDraft) async throws -> TaskDraft {
        guard draft.hasSavedAudience, let audience = draft.audience else { return draft }
        var expanded = draft
        expanded.audience = try await audiences.expand(audience, in: AppID("news"))
        return expanded
    }

    func cancel(_ id: TaskID) async throws {
        guard let content = try await archive.content(of: id) else { throw UnknownTaskError() }
        try await cancellation.cancel(try PushTask(archived: content, of: id))
    }

    func begin(momentOf user: Alias, lasting duration: Duration) async throws {
        let key = UserKey(user, of: try AppID("news"))
        let (begin, end) = (seam.clock.now, seam.clock.now + duration)
        let waiting = try await moments.begin(until: end, of: key)
        _ = try await release.release(waiting, from: begin, until: end, trace: nil)
    }

    func remove(_ device: DeviceID) async throws {
        _ = try await classes.remove(device, in: caller().app)
    }

    /// The receipts are all genuine.
    func report(receipts body: [UInt8]) async throws {
        let request = HTTPRequest(
            method: .post, path: "/v1/receipts", headers: HTTPHeaders(["Content-Type": "application/json"]),
            body: HTTPRequestBody(body))
        let response = try await receipts.create(AuthorizedRequest(request: request, caller: caller(), base: ""))
        guard case .bytes(let answer) = response.body, answer.contains(Array("\"refused\":[]".utf8)) else {
            preconditionFailure("a receipt is refused")
        }
    }

    private func caller() throws -> AuthorizedCaller {
        let app = seam.world.settings.app(try AppID("news"))
        let access = Access(
            caller: .key("k1"), grants: [Access.Grant(app: app, scopes: [.publish, .broadcast])])
        return try AuthorizedCaller(access, for: [.broadcast]) { access.choose(nil, scope: $0) }
    }
}
