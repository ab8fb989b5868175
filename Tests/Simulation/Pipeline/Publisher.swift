import Bus
import HTTPServer
import JSONKit
import LocalTime
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel

@testable import Apps
@testable import IngestAPI

/// `ingest-api` as publishers and apps see it: requests to its routes, without sockets.
struct Publisher: Sendable {
    let seam: Seam
    private let parts: IngestParts
    private let api: SimulatedAPI
    private let caller: AuthorizedCaller
    private let audiences: AudienceBook
    private let transfers: TransferAcceptance
    private let classes: DeviceClasses
    private let receipts: ReceiptRoutes
    /// Runs while the process does.
    var releasedTasks: any Service { parts.released }

    init(_ parts: PipelineParts) async throws {
        seam = parts.seam
        let app = try SimulatedApp(parts.world.settings)
        caller = try app.caller()
        let access = try await Publisher.access(parts)
        self.parts = IngestParts(parts, access: access)
        api = SimulatedAPI(self.parts, app: app)
        let reading = BodyReading()
        classes = DeviceClasses(registry: parts.registry, producer: access.producer, time: parts.environment.time)
        receipts = ReceiptRoutes(access, reading: reading, environment: parts.environment)
        audiences = AudienceBook(store: parts.registry)
        transfers = TransferAcceptance(
            transfers: parts.registry, submission: self.parts.submission, reading: reading,
            time: parts.environment.time, random: parts.environment.random)
    }

    private static func access(_ parts: PipelineParts) async throws -> TaskAccess {
        let (world, seam) = (parts.world, parts.seam)
        return TaskAccess(
            archive: parts.archive, ledger: parts.ledger, agenda: parts.agenda, index: parts.retries,
            traces: SimulatedTaskTraces(base: world.traces, seam: seam), receipts: parts.receipts,
            statistics: SimulatedTaskStatistics(base: world.statistics, seam: seam),
            deviceTasks: SimulatedDeviceTasks(base: world.deviceTasks, seam: seam),
            replacements: parts.replacements, moments: parts.moments, opens: world.opens,
            keys: SimulatedIdempotencyStore(base: world.keys, seam: seam),
            producer: try await parts.producer(patience: .seconds(5)), bus: parts.bus, outages: parts.outages,
            failingServers: MemoryFailingServers(time: seam.clock),
            room: StoreRoom(percentUsed: { world.isFull ? 100 : 0 }, percentMaximum: 70))
    }

    func send(_ request: PublisherRequest) async throws -> PublisherAnswer { try await api.send(request) }

    /// The request that says the same as the draft; nil if the native API cannot say it, or not any more.
    func request(for draft: TaskDraft, key: String) throws -> PublisherRequest? {
        guard !draft.hasSavedAudience else { return nil }
        let task = try parts.submission.prepare(draft, of: caller).task
        let form = AcceptedTaskForm(task, of: caller.app, at: seam.clock.now)
        return form.omitted.isEmpty ? PublisherRequest(.post, "/v1/tasks", form.json, key: key) : nil
    }

    /// Publishes what no request says. Returns the id in the answer.
    func publish(_ draft: TaskDraft, key: String) async throws -> TaskID {
        let response = try await parts.submission.submit(
            HTTPRequest(method: .post, path: "/v1/tasks"), of: caller,
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
            outline, fingerprint: fingerprint, in: group, request: request, of: caller)
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
        _ = try await send(PublisherRequest(.post, "/v1/tasks/\(id)/cancel", JSONObject()))
    }

    func begin(momentOf user: Alias, lasting duration: Duration) async throws {
        let body = JSONObject([("user", .string(user.value)), ("expires_in", .string(DurationText.print(duration)))])
        _ = try await send(PublisherRequest(.post, "/v1/moments", body))
    }

    func remove(_ device: DeviceID) async throws {
        _ = try await classes.remove(device, in: caller.app)
    }

    /// The receipts are all genuine.
    func report(receipts body: [UInt8]) async throws {
        let request = HTTPRequest(
            method: .post, path: "/v1/receipts", headers: HTTPHeaders(["Content-Type": "application/json"]),
            body: HTTPRequestBody(body))
        let response = try await receipts.create(AuthorizedRequest(request: request, caller: caller, base: ""))
        guard case .bytes(let answer) = response.body, answer.contains(Array("\"refused\":[]".utf8)) else {
            preconditionFailure("a receipt is refused")
        }
    }
}

extension IngestParts {
    fileprivate init(_ parts: PipelineParts, access: TaskAccess) {
        let registry = parts.registry
        self.init(
            BoundedRegistry(registry: registry, room: access.room), reader: registry, audiences: registry,
            topics: registry, transfers: registry, activities: registry, access: access,
            limits: RequestLimits(time: parts.seam.clock), idempotencyLease: .seconds(15), hasLog: true,
            isRegistryReady: { try await registry.state() == .ready }, apps: { AppSnapshot([], pepper: nil) },
            environment: parts.environment)
    }
}
