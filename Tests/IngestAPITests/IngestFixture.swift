import Bus
import JSONKit
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Apps
@testable import HTTPServer
@testable import IngestAPI

/// The API with a registry in memory, on its own port, with two apps: `news` and `shop`.
final class IngestFixture: Sendable {
    enum Key: String, CaseIterable {
        /// A key for `news` only.
        case news
        /// A key for both apps.
        case both
        /// A key for `news` without the scopes to register and to broadcast.
        case publisher
        /// A key for `news` that may only publish.
        case poster
        /// A key of another publisher for `news`, with every scope.
        case owner
        /// A key for `shop` only, with every scope.
        case shop
        /// A key for both apps that may only publish.
        case publishers
        /// A public key for `news`, as in an app.
        case app
        /// A public key for `news` and the pages of `pages`.
        case page
    }

    static let pages = "https://www.example.com"
    /// The key of `news` for browsers.
    static let webPushPublicKey = [4] + [UInt8](repeating: 7, count: 64)
    /// The secret under which the backend of `news` signs users.
    static let userTokenSecret = Array("a secret of the backend of news, 32 bytes".utf8)

    let registry: FaultyRegistry
    let topics: any TopicStatistics
    let groups: any TransferGroups
    let activities: any Activities
    let activitySweep: ActivitySweep
    let time = ManualTimeSource()
    let log = CollectingSink()
    let archive = FaultyArchive()
    let ledger: MemoryLedger
    let agenda: MemoryTaskAgenda
    let index: MemoryRetryIndex
    let traces: MemoryTaskTraces
    let receipts: MemoryTaskReceipts
    let statistics: MemoryTaskStatistics
    let deviceTasks: MemoryDeviceTasks
    let replacements: MemoryTaskReplacements
    let moments: MemoryUserMoments
    let opens = MemoryUserOpens()
    let bus = TestProducer()
    /// Whose topics the API reads; what it sends is on `bus`.
    let topicBus: MemoryBus
    let outages: MemoryProviderOutages
    let failingServers: MemoryFailingServers
    let metrics = Metrics()
    /// Used share of the store's memory, in percent.
    let percentUsed = Monitor(0)
    let news: AppID
    let apps: AppSnapshot
    /// What the service knows; changed by a test that revokes a key.
    let currentApps: Monitor<AppSnapshot>
    let live: LiveBoard
    let isRegistryReady = Monitor(true)
    let releasedTasks: ReleasedTaskQueue
    /// A method and a pattern for each route.
    let routeNames: [String]
    private let keys: [Key: APIKey]
    private let server: HTTPServer
    let port: UInt16

    /// `openRange` is a range from which callers may register in `news` without a key. With `hasWebhook` the webhook of
    /// `news` is told of its devices.
    init(
        openRange: String? = nil, limits: AppLimits = AppLimits(), _ settings: RequestLimits.Settings? = nil,
        hasWebhook: Bool = false, hasConsole: Bool = false, addresses: DeviceAddressRules = DeviceAddressRules(),
        server configuration: HTTPServerConfiguration = HTTPServerConfiguration()
    ) throws {
        let memory = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
        registry = FaultyRegistry(memory)
        topics = memory
        groups = memory
        activities = memory
        let room = StoreRoom(percentUsed: { [percentUsed] in percentUsed.withLock { $0 } }, percentMaximum: 70)
        ledger = MemoryLedger(time: time)
        agenda = MemoryTaskAgenda(time: time)
        index = MemoryRetryIndex(time: time)
        traces = MemoryTaskTraces(time: time)
        receipts = MemoryTaskReceipts(time: time)
        statistics = MemoryTaskStatistics(time: time)
        deviceTasks = MemoryDeviceTasks(time: time)
        replacements = MemoryTaskReplacements(time: time)
        moments = MemoryUserMoments(time: time)
        topicBus = MemoryBus(time: time, random: SeededRandomSource(seed: 3))
        outages = MemoryProviderOutages(time: time)
        failingServers = MemoryFailingServers(time: time)
        news = try AppID("news")
        keys = Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0, APIKey.random()) })
        let snapshot = try IngestFixture.apps(keys, openRange: openRange, limits: limits, hasWebhook: hasWebhook)
        apps = snapshot
        currentApps = Monitor(snapshot)
        let log = Log(service: "ingest-api", sink: log)
        let environment = WorkerEnvironment(
            time: time, random: SeededRandomSource(seed: 2), log: log, metrics: metrics, health: Health(time: time))
        let access = TaskAccess(
            archive: archive, ledger: ledger, agenda: agenda, index: index, traces: traces, receipts: receipts,
            statistics: statistics, deviceTasks: deviceTasks, replacements: replacements,
            moments: moments, opens: opens,
            keys: MemoryIdempotencyStore(time: time), producer: bus, bus: topicBus, outages: outages,
            failingServers: failingServers, room: room)
        let requests = RequestLimits(settings ?? RequestLimits.Settings(), time: time)
        let parts = IngestFixture.parts(
            BoundedRegistry(registry: registry, room: room), memory: memory, tasks: access, environment: environment,
            apps: { [currentApps] in currentApps.withLock { $0 } }, limits: requests, addresses: addresses,
            isRegistryReady: { [isRegistryReady] in isRegistryReady.withLock { $0 } })
        releasedTasks = parts.released
        activitySweep = parts.activitySweep
        live = parts.live
        let sessions = ConsoleSessions(
            apps: { [currentApps] in currentApps.withLock { $0 } }, time: time, isSecure: false)
        let gatekeeper = Gatekeeper(
            limits: requests, crossOrigin: CrossOrigin { snapshot.isKnown(origin: $0) },
            sessions: hasConsole ? sessions : nil,
            access: { [time, currentApps] in
                currentApps.withLock { $0 }.access(presented: $0, peer: $1, now: time.now)
            })
        let router = IngestRoutes(parts, gatekeeper: gatekeeper).router
        routeNames = router.routeNames
        server = HTTPServer(configuration: configuration, router: router, log: log, metrics: metrics)
        try server.start()
        port = try #require(server.port)
    }

    static func parts(
        _ registry: any Registry, memory: MemoryRegistry, tasks: TaskAccess, environment: WorkerEnvironment,
        apps: @escaping @Sendable () -> AppSnapshot = { AppSnapshot([], pepper: nil) },
        limits: RequestLimits = RequestLimits(), addresses: DeviceAddressRules = DeviceAddressRules(),
        isRegistryReady: @escaping @Sendable () -> Bool = { true }
    ) -> IngestParts {
        IngestParts(
            registry, reader: memory, audiences: memory, topics: memory, transfers: memory, activities: memory,
            access: tasks,
            addresses: addresses, limits: limits, idempotencyLease: .seconds(15), hasLog: true,
            isRegistryReady: isRegistryReady, apps: apps, environment: environment)
    }

    /// Runs the body and stops the server, even if the body throws.
    static func run(
        openRange: String? = nil, limits: AppLimits = AppLimits(), settings: RequestLimits.Settings? = nil,
        hasWebhook: Bool = false, hasConsole: Bool = false, addresses: DeviceAddressRules = DeviceAddressRules(),
        server configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        _ body: (IngestFixture) async throws -> Void
    ) async throws {
        let fixture = try IngestFixture(
            openRange: openRange, limits: limits, settings, hasWebhook: hasWebhook, hasConsole: hasConsole,
            addresses: addresses, server: configuration)
        try await withCleanup({ await fixture.server.stop(within: .zero) }) { try await body(fixture) }
    }

    func authorization(_ key: Key) -> String { "Bearer \(secret(key))" }

    func secret(_ key: Key) -> String {
        guard let key = keys[key] else { preconditionFailure("every key is made") }
        return key.reveal()
    }

    func keyID(_ key: Key) -> String { keys[key]?.id ?? "" }

    /// Returns the app's list of tasks, newest first.
    func listed() async throws -> [TaskEntry.ID] {
        try await archive.tasks(of: news, before: nil, limit: 100)
    }

    /// Sends a form with the key of `news`, unless `headers` replace it.
    func form(
        _ method: String, _ path: String, form: String = "", headers: [String: String] = [:]
    ) async -> RawClient.Response {
        let type = form.isEmpty ? [:] : ["Content-Type": "application/x-www-form-urlencoded"]
        return await send(method, path, body: Array(form.utf8), headers: type.merging(headers) { $1 })
    }

    /// Sends JSON with the key of `news`, unless `key` names another.
    func json(
        _ method: String, _ path: String, json: String = "", as key: Key = .news, headers: [String: String] = [:]
    ) async -> RawClient.Response {
        let defaults = [
            "Content-Type": "application/json; charset=utf-8", "Authorization": authorization(key),
        ]
        return await send(method, path, body: Array(json.utf8), headers: defaults.merging(headers) { $1 })
    }

    func head(_ path: String) async -> RawClient.Response {
        await send("HEAD", path, body: [], headers: [:])
    }

    /// Sends a request head without its body and returns the answer; nil if the server waits for the body.
    func sendHead(
        _ method: String, _ path: String, bodyBytes: Int, headers: [String: String]
    ) async -> RawClient.Response? {
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        let head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(bodyBytes)\r\n\(fields)\r\n"
        return await blocking { [port] in
            let client = RawClient(port: port)
            client.send(head)
            return client.receiveResponse()
        }
    }

    /// Sends a body without its last byte, so that the server holds the rest until the client leaves.
    func openBody(of path: String, bytes: Int, as key: Key?) async -> RawClient {
        let head = "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(bytes + 1)\r\n"
        let field = key.map { "Authorization: \(authorization($0))\r\n" } ?? ""
        let request = Array("\(head)\(field)\r\n".utf8)
        return await blocking { [port] in
            let client = RawClient(port: port)
            client.send(request + [UInt8](repeating: UInt8(ascii: " "), count: bytes))
            return client
        }
    }

    func send(
        _ method: String, _ path: String, body: [UInt8], headers: [String: String]
    ) async -> RawClient.Response {
        let defaults = ["Authorization": authorization(.news), "Content-Length": "\(body.count)"]
        var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\n"
        for (name, value) in defaults.merging(headers, uniquingKeysWith: { $1 }) where !value.isEmpty {
            head += "\(name): \(value)\r\n"
        }
        let bytes = Array((head + "\r\n").utf8) + body
        let response = await blocking { [port] in
            let client = RawClient(port: port)
            client.send(bytes)
            return client.receiveResponse(isHead: method == "HEAD")
        }
        guard let response else { preconditionFailure("the server closed without an answer") }
        return response
    }

    /// Dead-letters a message of `audience.fast` with this key.
    func bury(_ value: String, key: [UInt8]?, channel: String = "audience.fast") async throws {
        let message = IncomingMessage(
            partition: PartitionID(channel: channel, number: 3), offset: 41, key: key, value: Array(value.utf8),
            headers: [MessageHeader("traceparent", "00-1-2-01")], timestamp: Timestamp(milliseconds: 1_000))
        let letter = DeadLetter(message, group: "renderer", reason: .poison, detail: "no content", attempts: 2)
        try await sendToTopics([letter.outgoing])
    }

    /// Puts messages where the API reads.
    func sendToTopics(_ messages: [OutgoingMessage]) async throws {
        let producer = try await topicBus.makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    /// Registers a device and returns its id.
    func subscriber(_ fields: String = "") async throws -> String {
        let response = await form("POST", "/subscribers", form: "proto=apns&token=\(SampleTokens.apns)&\(fields)")
        return try #require(response.json["id"]?.text)
    }

    private static func apps(
        _ keys: [Key: APIKey], openRange: String?, limits: AppLimits, hasWebhook: Bool
    ) throws -> AppSnapshot {
        let pepper = try #require(Pepper(fileContent: Array("a pepper of thirty-two bytes or more".utf8)))
        func credential(_ key: Key, scopes: Set<Scope>) throws -> Credential {
            try credential(key, rights: KeyRights(scopes: scopes))
        }
        func credential(_ key: Key, rights: KeyRights) throws -> Credential {
            let key = try #require(keys[key])
            return Credential(
                id: key.id, hash: pepper.hash(of: key), rights: rights,
                created: Timestamp(milliseconds: 0),
                expires: nil)
        }
        var news = PushApp(id: try AppID("news"))
        news.credentials = [
            try credential(.news, scopes: [.register]), try credential(.both, scopes: [.register]),
            try credential(.publisher, scopes: [.publish, .read]), try credential(.owner, scopes: Set(Scope.allCases)),
            try credential(.poster, scopes: [.publish]), try credential(.publishers, scopes: [.publish]),
            try credential(.app, rights: KeyRights(scopes: [.register], isPublic: true)),
            try credential(
                .page,
                rights: KeyRights(
                    scopes: [.register], isPublic: true, origins: [try #require(WebOrigin(pages))])),
        ]
        news.identifiers[.richie] = ["example-news"]
        news.identifiers[.appmetrica] = ["7", "70"]
        news.identifiers[.contextpush] = ["com.example.news"]
        news.identifiers[.pushwoosh] = ["NEWS0-00001"]
        let file = KeyFile(field: "key_file", path: "key")
        news.providers.apns = APNsCredentials(
            proof: .token(keyFile: file, keyID: "ABCDE12345", teamID: "TEAM000000"), topic: "com.example.news")
        news.providers.fcm = FCMCredentials(serviceAccountFile: file, project: nil)
        if hasWebhook {
            news.webhook = WebhookEndpoint(url: "https://news.example/states", secretFile: file)
        }
        news.limits = limits
        news.defaults.timeToLive = .seconds(3_600)
        news.defaults.language = "fr"
        news.defaults.navigate = "https://news.example/"
        if let openRange { news.allowed = [AllowedRange(range: try AddressRange(openRange), scopes: [.register])] }
        var shop = PushApp(id: try AppID("shop"))
        shop.credentials = [
            try credential(.both, scopes: [.register]), try credential(.shop, scopes: Set(Scope.allCases)),
            try credential(.publishers, scopes: [.publish]),
        ]
        shop.identifiers[.richie] = ["example-shop"]
        shop.identifiers[.appmetrica] = ["8"]
        shop.identifiers[.contextpush] = ["com.example.shop"]
        shop.identifiers[.pushwoosh] = ["SHOP0-00001"]
        return AppSnapshot(
            [news, shop], pepper: pepper,
            userTokenKeys: [news.id: try #require(UserTokenKey(fileContent: userTokenSecret))],
            webPushPublicKeys: [news.id: webPushPublicKey])
    }
}

/// Tokens as clients send them.
enum SampleTokens {
    /// That of pushd's documentation.
    static let apns = "FE66489F304DC75B8D6E8200DFF8A456E8DAEACEC428B427E9518741C92C6660"
    static let fcm = "cR4lMxqGTUuZ" + ":APA91b" + String(repeating: "Hx_-", count: 33)
}

extension RawClient.Response {
    /// The body as JSON; null if it is not JSON.
    var json: JSON { (try? JSON(body)) ?? .null }

    var error: String? { json["error"]?.text }
    var detail: String? { json["detail"]?.text }
}
