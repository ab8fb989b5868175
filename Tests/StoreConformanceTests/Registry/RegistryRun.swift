import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// Random operations on a registry; each result is compared with the model's.
struct RegistryRun {
    var model = RegistryModel()
    private let registry: any TestedRegistry
    private let app: AppID
    private let time: ManualTimeSource
    private var dice: Dice
    private let tokens: [PushToken]
    private let topics: [TopicName]
    private let aliases: [Alias]

    init(_ registry: any TestedRegistry, app: AppID, time: ManualTimeSource, seed: UInt64) throws {
        self.registry = registry
        self.app = app
        self.time = time
        dice = Dice(seed: seed)
        tokens = try (0..<12).map { try Samples.token($0) }
        topics = try (0..<6).map { try Samples.topic($0) }
        aliases = try (0..<6).map {
            try Alias($0.isMultiple(of: 2) ? .externalUser : .hardware, value: "name \($0 / 2)")
        }
    }

    mutating func perform(_ count: Int) async throws {
        for _ in 0..<count {
            time.advance(by: .seconds(dice.number(below: 30)))
            switch dice.number(below: 21) {
            case 0...4: try await register()
            case 5, 6: try await change()
            case 7: try await remove()
            case 8...11: try await subscribe()
            case 12: try await unsubscribe()
            case 13, 14: try await setSubscriptions()
            case 15: try await countFailure()
            case 16: if dice.chance(1, of: 3) { try await purge() }
            case 17: try await readDevice()
            case 18: try await forgetFailures()
            default: try await resolve()
            }
        }
    }

    /// Runs all reads on any client of the registry.
    func compareEverything(_ registry: any TestedRegistry) async throws {
        for token in tokens {
            #expect(try await registry.device(of: token, in: app) == model.entry(of: token)?.id)
        }
        for alias in aliases {
            #expect(try await Set(registry.devices(of: alias, in: app)) == model.ids(of: alias))
        }
        for entry in model.entries {
            #expect(try await registry.device(entry.id, in: app) == entry.registered)
            #expect(try await registry.subscriptions(of: entry.id, in: app) == entry.topics)
        }
        for id in model.removed { #expect(try await registry.device(id, in: app) == nil) }
        for audience in [Audience.everyone, .not(.everyone)] + topics.map({ .topic($0) })
            + topics.map({ .not(.topic($0)) })
        {
            try await compare(audience, registry: registry)
        }
    }

    private func compare(_ audience: Audience, registry: any TestedRegistry) async throws {
        var found: [DeviceID] = []
        for number in try await registry.segments(of: audience, in: app) {
            let segment = SegmentID(app, number: number)
            let chosen = try await registry.select(audience, in: segment).members
            let devices = try await registry.devices(at: chosen, in: segment)
            #expect(devices.offsets == chosen.offsets)
            for position in 0..<devices.count {
                let index = DeviceIndex(segment: number, offset: devices.offsets[position])
                found.append(DeviceID(index: index, tag: try #require(devices.device(at: position)).tag))
            }
        }
        let expected = model.members(of: audience)
        #expect(found.count == expected.count && Set(found) == expected, "\(audience)")
        #expect(try await registry.size(of: audience, in: app) == expected.count, "\(audience)")
    }
}

extension RegistryRun {
    private var seconds: UInt32 { UInt32(time.now.milliseconds / 1_000) }

    private mutating func register() async throws {
        let token = tokens[dice.number(below: tokens.count)]
        let changes = changes()
        let known = model.entry(of: token)
        let answer = try await registry.register(token, changes: changes, in: app)
        let id = answer.registered.id
        if let known {
            _ = model.change(known.id, changes: changes, at: seconds)
        } else {
            let isTaken = (model.removed + model.entries.map(\.id)).contains { $0.index == id.index }
            #expect(!isTaken, "an index was allocated twice")
            model.add(token, changes: changes, as: id, at: seconds)
        }
        #expect(answer.registered == model.entry(of: token)?.registered)
        #expect(answer.isNew == (known == nil))
    }

    private mutating func change() async throws {
        let (id, changes) = (id(), changes())
        let answer = try await registry.change(id, changes: changes, in: app)
        let expected = model.change(id, changes: changes, at: seconds)
        #expect(answer == expected)
    }

    private mutating func remove() async throws {
        let id = id()
        #expect(try await registry.remove(id, in: app) == (model[id] != nil))
        model[id] = nil
    }

    private mutating func subscribe() async throws {
        let (id, topic, options) = (id(), topic(), options())
        let expected = model[id].map { $0.topics[topic] == nil ? SubscriptionChange.created : .updated }
        #expect(try await registry.subscribe(id, to: topic, options: options, in: app) == expected)
        model[id]?.topics[topic] = options
    }

    private mutating func unsubscribe() async throws {
        let (id, topic) = (id(), topic())
        #expect(try await registry.unsubscribe(id, from: topic, in: app) == model[id].map { $0.topics[topic] != nil })
        model[id]?.topics[topic] = nil
    }

    private mutating func setSubscriptions() async throws {
        let id = id()
        var list: [TopicName: SubscriptionOptions] = [:]
        for topic in topics where dice.chance(2, of: 5) { list[topic] = options() }
        #expect(try await registry.setSubscriptions(of: id, to: list, in: app) == (model[id] != nil))
        model[id]?.topics = list
    }

    private mutating func countFailure() async throws {
        let id = id()
        let answer = try await registry.countFailure(of: id, limit: 2, in: app)
        let expected = model.countFailure(of: id, limit: 2)
        #expect(answer == expected)
    }

    private mutating func forgetFailures() async throws {
        let ids = (0..<3).map { _ in id() }
        try await registry.forgetFailures(of: ids, in: app)
        model.forgetFailures(of: ids)
    }

    private mutating func purge() async throws {
        let topic = topic()
        let answer = try await registry.purge(topic, in: app)
        let expected = model.purge(topic)
        #expect(answer == expected)
    }

    private mutating func readDevice() async throws {
        let (id, alias) = (id(), aliases[dice.number(below: aliases.count)])
        let entry = model[id]
        #expect(try await registry.device(id, in: app) == entry?.registered)
        #expect(try await registry.subscriptions(of: id, in: app) == entry?.topics)
        #expect(try await Set(registry.devices(of: alias, in: app)) == model.ids(of: alias))
    }

    private mutating func resolve() async throws {
        try await compare(audience(depth: 3), registry: registry)
    }
}

extension RegistryRun {
    /// Mostly ids of living devices; occasionally a removed one, or one that was never allocated.
    private mutating func id() -> DeviceID {
        if dice.chance(1, of: 10), let gone = model.removed.randomElement(using: &dice) { return gone }
        guard let living = model.entries.randomElement(using: &dice)?.id, dice.chance(19, of: 20) else {
            return DeviceID(index: DeviceIndex(rawValue: UInt32(dice.number(below: 100_000))), tag: 1)
        }
        return living
    }

    private mutating func topic() -> TopicName { topics[dice.number(below: topics.count)] }

    private mutating func options() -> SubscriptionOptions { dice.chance(1, of: 3) ? .ignoreMessage : [] }

    private mutating func changes() -> DeviceChanges {
        var changes = DeviceChanges()
        if dice.chance(1, of: 3) { changes.language = dice.text(0...8, of: "abc-é") }
        if dice.chance(1, of: 5) { changes.environment = dice.chance(1, of: 2) ? .sandbox : .production }
        if dice.chance(1, of: 5) { changes.contentAvailable = dice.chance(1, of: 2) }
        if dice.chance(1, of: 6) {
            let point = (0..<64).map { _ in UInt8(dice.number(below: 256)) }
            changes.webPushKeys = WebPushKeys(publicKey: [4] + point, secret: Array(point.prefix(16)))
        }
        if dice.chance(1, of: 4) { changes.badge = UInt32(dice.number(below: 100)) }
        for alias in aliases where dice.chance(1, of: 6) {
            changes.aliases[alias.kind] = dice.chance(1, of: 4) ? "" : alias.value
        }
        return changes
    }

    private mutating func audience(depth: Int) -> Audience {
        switch dice.number(below: depth == 0 ? 3 : 7) {
        case 0: return .everyone
        case 1, 2: return .topic(topic())
        case 3: return .not(audience(depth: depth - 1))
        case let kind:
            let parts = (0..<dice.number(below: 4)).map { _ in audience(depth: depth - 1) }
            return kind.isMultiple(of: 2) ? .all(parts) : .any(parts)
        }
    }
}
