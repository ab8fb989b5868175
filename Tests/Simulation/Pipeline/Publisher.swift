import Bus
import HTTPServer
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel

@testable import Apps
@testable import IngestAPI

/// `ingest-api` as publishers and apps see it: requests to its routes, without sockets.
final class Publisher: Sendable {
    let seam: Seam
    private let parts: IngestParts
    private let api: SimulatedAPI
    private let caller: AuthorizedCaller
    /// Runs while the process does.
    var releasedTasks: any Service { parts.released }

    init(_ parts: PipelineParts) async throws {
        seam = parts.seam
        let app = try SimulatedApp(parts.world.settings)
        caller = try app.caller()
        let access = try await Publisher.access(parts)
        self.parts = IngestParts(parts, access: access)
        api = SimulatedAPI(self.parts, app: app)
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

    /// The request of the native API that says the same as the draft.
    func request(for draft: TaskDraft, key: String) throws -> PublisherRequest {
        var toEveryone = draft
        toEveryone.audience = .everyone
        toEveryone.entries = []
        let task = try parts.submission.prepare(toEveryone, of: caller).task
        var json = AcceptedTaskForm(task, of: caller.app, at: seam.clock.now).json
        json["audience"] = draft.audience?.json
        if !draft.entries.isEmpty {
            json["users"] = .array(draft.entries.compactMap(\.user).map { .string($0) })
            json["devices"] = .array(draft.entries.compactMap(\.device).map { .string("\($0)") })
        }
        json["send_at"] = draft.timing.sendAt.map { .string("\($0)") }
        return PublisherRequest(.post, "/v1/tasks", json, key: key)
    }

    /// Returns the task of the answer, or of the transfer that it names.
    func publish(_ request: PublisherRequest) async throws -> TaskID {
        let answer = try await send(request)
        if let task = answer.task { return task }
        guard let transfer = answer.transfer else { preconditionFailure("an answer without a task") }
        let status = try await send(PublisherRequest(.get, "/push/v1/status/\(transfer)"))
        guard let tasks = status.json["transfer"]?["tasks"]?.elements, tasks.count == 1,
            let task = tasks[0].text.flatMap({ TaskID($0) })
        else { preconditionFailure("a batch that names each device once is one task") }
        return task
    }

    func cancel(_ id: TaskID) async throws {
        _ = try await send(PublisherRequest(.post, "/v1/tasks/\(id)/cancel", JSONObject()))
    }

    func begin(momentOf user: Alias, lasting duration: Duration) async throws {
        let body = JSONObject([("user", .string(user.value)), ("expires_in", .string(DurationText.print(duration)))])
        _ = try await send(PublisherRequest(.post, "/v1/moments", body))
    }

    /// Also a device that has left already.
    func remove(_ device: DeviceID) async throws {
        do {
            _ = try await send(PublisherRequest(.delete, "/v1/devices/\(device)"))
        } catch let refusal as SimulatedAPI.RefusalError where refusal.status == 404 {}
    }

    /// As an administrator does.
    func save(_ audience: Audience, as name: AudienceName) async throws {
        guard case .object(let json) = audience.json else { preconditionFailure("an audience is an object") }
        _ = try await send(PublisherRequest(.put, "/v1/audiences/\(name.text)", json))
    }

    /// The receipts are all genuine.
    func report(_ receipts: [JSON]) async throws {
        let answer = try await send(
            PublisherRequest(.post, "/v1/receipts", JSONObject([("receipts", .array(receipts))])))
        guard answer.json["refused"]?.elements?.isEmpty == true else { preconditionFailure("a receipt is refused") }
    }
}

extension TargetEntry {
    fileprivate var user: String? {
        guard case .alias(let alias) = self else { return nil }
        return alias.value
    }

    fileprivate var device: DeviceID? {
        guard case .device(let id) = self else { return nil }
        return id
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
