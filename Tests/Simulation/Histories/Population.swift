import HTTPServer
import LocalTime
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskModel

@testable import IngestAPI

/// The devices of the app, of all kinds; every third user has two.
final class Population: Sendable {
    let app: AppID
    let topic: TopicName
    /// Where the tokens of activities are registered.
    var space: AppID { app.activities }
    /// To which tasks are sent.
    static let topicName = "sport"
    private static let kinds: [PushProtocol] = [.apns, .fcm, .apns, .fcm, .http, .webpush, .apns, .wns, .huawei, .mpns]

    private let tokens: [PushToken]
    private let startTokens: [Int: PushToken]
    /// Of Live Activities: tokens, then channels.
    private let activityTokens: [PushToken]
    private let activityType: ActivityType
    private let numbersOfTokens: [String: Int]
    private let ids = Mutex(IDs())

    /// A device that leaves the app and comes back may have another id.
    private struct IDs {
        var current: [DeviceID] = []
        var numbers: [DeviceID: Int] = [:]
    }

    /// `activityTokens` are the tokens of Live Activities that apps report; their numbers follow those of the devices.
    init(count: Int, activityTokens: Int) {
        do {
            app = try AppID("news")
            topic = try TopicName(Population.topicName)
            activityType = try ActivityType(ActivityPlan.type)
            self.activityTokens =
                try (0..<activityTokens).map { try Population.activityToken(1 << 20 + $0) }
                + (0..<SimulatedChannels.countMaximum).map { try SimulatedChannels.id($0) }
            startTokens = Dictionary(
                uniqueKeysWithValues: try (0..<count).filter(Population.canStart).map {
                    ($0, try Population.activityToken(1 << 24 + $0))
                })
            tokens = try (0..<count).map { try Population.token($0) }
        } catch {
            preconditionFailure("the names are valid: \(error)")
        }
        let known = tokens + self.activityTokens
        numbersOfTokens = Dictionary(
            uniqueKeysWithValues: known.enumerated().map { ($1.text, $0) } + startTokens.map { ($1.text, $0) })
    }

    private static func token(_ number: Int) throws -> PushToken {
        let digits = String(number + 1, radix: 16)
        let text = String(repeating: "0", count: 64 - digits.count) + digits
        let kind = Population.kind(number)
        return switch kind {
        case .apns: try PushToken(kind, text: text)
        case .fcm, .huawei: try PushToken(kind, text: "device-\(text)")
        default: try PushToken(kind, text: "https://push.example/\(text)")
        }
    }

    func register(in registry: any Registry) async throws {
        for number in tokens.indices { try await register(number, in: registry) }
    }

    func register(_ number: Int, in registry: any Registry) async throws {
        var changes = DeviceChanges(
            language: Population.language(number), appVersion: Population.appVersion(number),
            webPushKeys: kind(number) == .webpush ? Population.webPushKeys : nil,
            aliases: [.externalUser: Population.userName(of: number), .hardware: Population.hardwareID(number)])
        if let token = startTokens[number] {
            changes.startTokens = [activityType: token]
            changes.version = Population.knowsChannels(number) ? "18.1" : "17.4"
        }
        let id = try await registry.register(tokens[number], changes: changes, in: app).registered.id
        if Population.isSubscribed(number) {
            _ = try await registry.subscribe(id, to: topic, options: SubscriptionOptions(), in: app)
        }
        note(id, of: number)
    }

    func note(_ id: DeviceID, of number: Int) {
        ids.withLock { ids in
            if number < ids.current.count { ids.current[number] = id } else { ids.current.append(id) }
            ids.numbers[id] = number
        }
    }

    /// The token with which an activity is started on the device.
    func startToken(_ number: Int) -> PushToken? { startTokens[number] }

    func pushToken(_ number: Int) -> PushToken { tokens[number] }

    /// True if a request to `send-batch` can name it.
    static func hasBatchID(_ number: Int) -> Bool { [.apns, .fcm, .huawei].contains(kind(number)) }

    /// Those that a request to `send-batch` can name, never none.
    static func batchDevices(_ numbers: [Int]) -> [Int] { ([0] + numbers).filter(hasBatchID) }

    func kind(_ number: Int) -> PushProtocol { tokens[number].kind }

    /// Of devices, then of tokens and channels of activities.
    var numbers: Range<Int> { 0..<(tokens.count + activityTokens.count) }

    func token(_ number: Int) -> String {
        number < tokens.count ? tokens[number].text : activityTokens[number - tokens.count].text
    }

    /// Also the token with which an activity is started on the device.
    func tokens(of number: Int) -> [String] {
        [token(number)] + [startTokens[number]].compactMap { $0?.text }
    }

    func id(_ number: Int) -> DeviceID { ids.withLock { $0.current[number] } }

    /// Of a token of the provider's book.
    func number(of token: String) -> Int? { numbersOfTokens[token] }

    func number(of id: DeviceID) -> Int? { ids.withLock { $0.numbers[id] } }

    /// The numbers of the devices that an order addresses.
    func devices(of order: Order, isSubscribed: (Int) -> Bool = Population.isSubscribed) -> Set<Int> {
        targets(of: order, isSubscribed: isSubscribed).filter { order.dialect.reaches($0, of: order.target) }
    }

    private func targets(of order: Order, isSubscribed: (Int) -> Bool) -> Set<Int> {
        switch order.target {
        case .everyone: Set(tokens.indices)
        case .topic: Set(tokens.indices.filter(isSubscribed))
        case .users(let users): Population.devices(of: users, among: tokens.count)
        case .devices(let devices), .longList(let devices, _): Set(devices)
        case .contents(let devices): Set(Population.batchDevices(devices))
        case .audience(let condition, _, let devices):
            Set(tokens.indices.filter { condition.matches(traits($0, isSubscribed: isSubscribed($0))) }).union(devices)
        }
    }

    static func devices(of users: [Int], among count: Int) -> Set<Int> {
        Set(
            (0..<count).filter { number in
                users.contains { Population.user(of: $0) == Population.user(of: number) }
            })
    }

    /// Their devices of Apple.
    static func phones(of users: [Int], among count: Int) -> [Int] {
        devices(of: users, among: count).filter(isPhone).sorted()
    }

    static func kind(_ number: Int) -> PushProtocol { kinds[number % kinds.count] }
    private static func isPhone(_ number: Int) -> Bool { kind(number) == .apns }
    /// True if activities can be started on it.
    static func canStart(_ number: Int) -> Bool { isPhone(number) && number % 3 != 0 }

    /// True if it can get the updates of an activity from a channel.
    static func knowsChannels(_ number: Int) -> Bool { canStart(number) && number % 4 == 2 }

    private static func activityToken(_ number: Int) throws -> PushToken {
        let digits = String(number, radix: 16)
        return try PushToken(.liveActivity, text: String(repeating: "0", count: 64 - digits.count) + digits)
    }

    private func traits(_ number: Int, isSubscribed: Bool) -> Condition.Traits {
        Condition.Traits(
            isSubscribed: isSubscribed, isGerman: Population.isGerman(number),
            version: Population.version(number), platform: Platform(kind(number)))
    }

    /// The text of an order that a device gets, and no device that gets another one.
    func text(of order: Order, for device: Int) -> String {
        if order.target.hasContents { return Population.ownText(device) }
        return order.dialect.isLocalized && Population.isGerman(device) ? "Eins zu null" : "One to nil"
    }

    /// What a saved audience means until its order is answered.
    func savedAudience(of order: Order) throws -> Audience? {
        guard case .audience(let condition, isSaved: true, _) = order.target else { return nil }
        return try condition.audience(topic: topic)
    }

    /// Nil for an order that is said as a draft.
    func request(_ order: Order, number: Int) -> PublisherRequest? {
        guard order.dialect != .appMetrica else {
            return PublisherRequest(.post, "/push/v1/send-batch", body: batch(order, number: number))
        }
        return order.dialect.request(order, number: number, topic: topic.text)
    }

    /// Of an order in the native dialect. `name` is that of its saved audience, `number` that of the order.
    func draft(_ order: Order, number: Int, saved name: AudienceName) throws -> TaskDraft {
        var draft = TaskDraft()
        var message = PushMessage()
        message.title = LocalizedText("Goal", translations: ["de": "Tor"])
        message.body = LocalizedText("One to nil", translations: ["de": "Eins zu null"])
        message.badge = order.countsBadge ? .increment : nil
        draft.content.message = message
        draft.content.platforms = Set(Platform.allCases)
        switch order.target {
        case .everyone: draft.audience = .everyone
        case .topic: draft.audience = .topic(topic)
        case .users(let users): draft.entries = try users.map { .alias(try Population.alias(of: $0)) }
        case .devices(let devices): draft.entries = devices.map { .device(id($0)) }
        case .audience(let condition, let isSaved, let devices):
            draft.audience = isSaved ? .saved(name) : try condition.audience(topic: topic)
            draft.entries = devices.map { .device(id($0)) }
        case .longList(let devices, let length): draft.entries = longList(devices, length: length)
        case .contents: preconditionFailure("it is sent as a batch")
        }
        draft.options.timeToLive = order.timeToLive
        draft.options.ambiguity = order.isAtMostOnce ? .atMostOnce : .atLeastOnce
        draft.replaces = order.replacementKey(number)
        draft.timing = try timing(of: order)
        return draft
    }

    private func longList(_ devices: [Int], length: Int) -> [TargetEntry] {
        var entries = [TargetEntry](repeating: .device(Population.stranger), count: length)
        for (place, device) in devices.enumerated() { entries[place * length / devices.count] = .device(id(device)) }
        return entries
    }

    private func timing(of order: Order) throws -> DraftTiming {
        var timing = DraftTiming()
        timing.rate = order.rate
        timing.cap = order.keepsRules ? .obey(order.waits ? .delay : .skip) : .ignore
        timing.quietHours = order.keepsRules ? .obey(order.waits ? .delay : .skip) : .ignore
        switch order.begin {
        case .immediately, .windowUntil: break
        case .at(let time): timing.sendAt = ProcessClock.start + time
        case .local(let minute):
            let digits = minute < 10 ? "0\(minute)" : "\(minute)"
            timing.localTime = LocalDateTime("2026-01-01T00:\(digits)")
        case .window(let opens, let length, let method):
            timing.sendAt = ProcessClock.start + opens
            guard case .users(let users) = order.target else { break }
            timing.window = DraftWindow(
                for: try Population.alias(of: users[0]), end: .after(length),
                method: method, field: "window")
        }
        return timing
    }

    /// The id of no device.
    private static let stranger = DeviceID(index: DeviceIndex(rawValue: 4_000), tag: 1)

    static func alias(of number: Int) throws -> Alias {
        try Alias(.externalUser, value: userName(of: number))
    }

    /// By which Pushwoosh's SDK knows a device.
    static func hardwareID(_ number: Int) -> String { "hardware-\(number)" }
    static func userName(of number: Int) -> String { "user-\(user(of: number))" }
    private static func user(of number: Int) -> Int { number % 3 == 2 ? number - 1 : number }
    /// The simulated provider encrypts nothing.
    private static let webPushKeys = WebPushKeys(
        publicKey: [4] + [UInt8](repeating: 1, count: WebPushKeys.publicKeyBytes - 1),
        secret: [UInt8](repeating: 2, count: WebPushKeys.secretBytes))
    /// Of all batches.
    static let group = TransferGroup(id: 1, name: "scores", rate: TransferGroupBounds.rates.upperBound)

    static func language(_ number: Int) -> String { isGerman(number) ? "de" : "en" }
    static func appVersion(_ number: Int) -> String { "1.\(version(number))" }
    private static func isGerman(_ number: Int) -> Bool { number / 2 % 3 == 0 }
    private static func version(_ number: Int) -> Int { number % Condition.versions }
    /// Ends with a mark, so that none contains another.
    static func ownText(_ number: Int) -> String { "For number \(number)." }
    static func isSubscribed(_ number: Int) -> Bool { number % 4 != 0 }
}
