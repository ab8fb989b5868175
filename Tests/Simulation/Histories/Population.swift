import LocalTime
import PushModel
import ServiceKit
import Store
import Synchronization
import TaskModel

@testable import IngestAPI

/// The devices of the app: of five two of Apple, two of Google and one with an address; every third user has two.
final class Population: Sendable {
    let app: AppID
    let topic: TopicName
    private let tokens: [PushToken]
    private let numbers: [String: Int]
    private let ids = Mutex(IDs())

    /// A device that leaves the app and comes back may have another id.
    private struct IDs {
        var current: [DeviceID] = []
        var numbers: [DeviceID: Int] = [:]
    }

    init(count: Int) {
        do {
            app = try AppID("news")
            topic = try TopicName("sport")
            tokens = try (0..<count).map { number in
                let digits = String(number + 1, radix: 16)
                let text = String(repeating: "0", count: 64 - digits.count) + digits
                return switch number % 5 {
                case 0, 2: try PushToken(.apns, text: text)
                case 1, 3: try PushToken(.fcm, text: "device-\(text)")
                default: try PushToken(.http, text: "https://push.example/\(text)")
                }
            }
        } catch {
            preconditionFailure("the names are valid: \(error)")
        }
        numbers = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1.text, $0) })
    }

    func register(in registry: any Registry) async throws {
        for number in tokens.indices { try await register(number, in: registry) }
    }

    func register(_ number: Int, in registry: any Registry) async throws {
        let changes = DeviceChanges(
            language: number % 5 == 0 ? "de" : "en", aliases: [.externalUser: Population.userName(of: number)])
        let id = try await registry.register(tokens[number], changes: changes, in: app).registered.id
        if Population.isSubscribed(number) {
            _ = try await registry.subscribe(id, to: topic, options: SubscriptionOptions(), in: app)
        }
        ids.withLock { ids in
            if number < ids.current.count { ids.current[number] = id } else { ids.current.append(id) }
            ids.numbers[id] = number
        }
    }

    func remove(_ number: Int, from registry: any Registry) async throws {
        _ = try await registry.remove(id(number), in: app)
    }

    func token(_ number: Int) -> String { tokens[number].text }
    func id(_ number: Int) -> DeviceID { ids.withLock { $0.current[number] } }

    /// Of a token of the provider's book.
    func number(of token: String) -> Int? { numbers[token] }

    func number(of id: DeviceID) -> Int? { ids.withLock { $0.numbers[id] } }

    /// The numbers of the devices that an order addresses.
    func devices(of order: Order) -> Set<Int> {
        switch order.target {
        case .everyone: Set(tokens.indices)
        case .topic: Set(tokens.indices.filter(Population.isSubscribed))
        case .users(let users):
            Set(
                tokens.indices.filter { number in
                    users.contains { Population.user(of: $0) == Population.user(of: number) }
                })
        case .devices(let devices): Set(devices)
        }
    }

    func draft(_ order: Order) throws -> TaskDraft {
        var draft = TaskDraft()
        var message = PushMessage()
        message.title = LocalizedText("Goal", translations: ["de": "Tor"])
        message.body = LocalizedText("One to nil", translations: ["de": "Eins zu null"])
        message.badge = order.countsBadge ? .increment : nil
        draft.content.message = message
        draft.content.platforms = [.ios, .android, .http]
        switch order.target {
        case .everyone: draft.audience = .everyone
        case .topic: draft.audience = .topic(topic)
        case .users(let users): draft.entries = try users.map { .alias(try Population.alias(of: $0)) }
        case .devices(let devices): draft.entries = devices.map { .device(id($0)) }
        }
        draft.options.timeToLive = order.timeToLive
        draft.options.ambiguity = order.isAtMostOnce ? .atMostOnce : .atLeastOnce
        draft.replaces = order.key.map { "key-\($0)" }
        draft.timing = try timing(of: order)
        return draft
    }

    private func timing(of order: Order) throws -> DraftTiming {
        var timing = DraftTiming()
        timing.rate = order.rate
        timing.cap = order.keepsRules ? .obey(order.waits ? .delay : .skip) : .ignore
        timing.quietHours = order.keepsRules ? .obey(order.waits ? .delay : .skip) : .ignore
        switch order.begin {
        case .immediately: break
        case .at(let time): timing.sendAt = ProcessClock.start + time
        case .local(let minute):
            let digits = minute < 10 ? "0\(minute)" : "\(minute)"
            timing.localTime = LocalDateTime("2026-01-01T00:\(digits)")
        case .window(let opens, let length, let awaitsMoment):
            timing.sendAt = ProcessClock.start + opens
            guard case .users(let users) = order.target else { break }
            timing.window = DraftWindow(
                for: try Population.alias(of: users[0]), end: .after(length),
                method: .fixed(awaitsMoment ? .contextAware : .traditional), field: "window")
        }
        return timing
    }

    static func alias(of number: Int) throws -> Alias {
        try Alias(.externalUser, value: userName(of: number))
    }

    private static func userName(of number: Int) -> String { "user-\(user(of: number))" }
    private static func user(of number: Int) -> Int { number % 3 == 2 ? number - 1 : number }
    private static func isSubscribed(_ number: Int) -> Bool { number % 4 != 0 }
}
