import PushModel
import Store
import TestSupport
import Testing

/// Guarantees under concurrent changes of one device by many clients, and concurrent changes of many devices.
@Suite(.timeLimit(.minutes(5))) struct RegistryConcurrencyTests {
    /// Runs the body for all numbers concurrently; returns the results in the order of the numbers.
    private func atOnce<Answer: Sendable>(
        _ count: Int, body: @escaping @Sendable (Int) async throws -> Answer
    ) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for number in 0..<count { group.addTask { (number, try await body(number)) } }
            var answers: [Int: Answer] = [:]
            for try await (number, answer) in group { answers[number] = answer }
            return (0..<count).compactMap { answers[$0] }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneTokenIsOneDeviceHoweverManyRegisterIt(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            for round in 0..<10 {
                let token = try Samples.token(round)
                let answers = try await atOnce(20) {
                    try await clients[$0 % 2].register(token, changes: DeviceChanges(), in: app)
                }
                #expect(Set(answers.map(\.registered.id)).count == 1)
                #expect(answers.filter(\.isNew).count == 1)
            }
            #expect(try await registry.size(of: .everyone, in: app) == 10)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func manyTokensAreManyDevices(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let answers = try await atOnce(300) { number in
                let changes = DeviceChanges(aliases: [.externalUser: "user \(number % 3)"])
                return try await clients[number % 2].register(Samples.token(number), changes: changes, in: app)
            }
            #expect(answers.filter(\.isNew).count == 300)
            #expect(Set(answers.map(\.registered.id.index)).count == 300)
            let found = try await fixture.members(of: .everyone, registry)
            #expect(found.members == Set(answers.map(\.registered.id)))
            for user in 0..<3 {
                let expected = stride(from: user, to: 300, by: 3).map { answers[$0].registered.id }
                try await expectDevices(of: Samples.user("user \(user)"), are: expected, in: app, registry)
            }
        }
    }

    /// Goal: two changes of different fields are both applied. A store may report a conflict; the caller then retries.
    @Test(arguments: StoreKind.allCases)
    func noChangeIsLost(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let changes = [
                DeviceChanges(environment: .sandbox), DeviceChanges(contentAvailable: true),
                DeviceChanges(language: "de"),
                DeviceChanges(version: "2"), DeviceChanges(category: "c"), DeviceChanges(timeZone: "UTC"),
                DeviceChanges(aliases: [.externalUser: "anna"]), DeviceChanges(aliases: [.hardware: "h"]),
            ]
            _ = try await atOnce(changes.count) { number in
                try await repeating { try await clients[number % 2].change(id, changes: changes[number], in: app) }
            }
            let device = try #require(try await registry.device(id, in: app)?.device)
            #expect(device.environment == .sandbox && device.contentAvailable == true && device.language == "de")
            #expect(device.version == "2" && device.category == "c" && device.timeZone == "UTC")
            #expect(device.aliases == [.externalUser: "anna", .hardware: "h"])
            try await expectDevices(of: Samples.user("anna"), are: [id], in: app, registry)
        }
    }

    /// Retries an operation that failed because of too many conflicts, as its caller would.
    private func repeating<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        for _ in 0..<20 {
            do {
                return try await body()
            } catch let error as StoreError {
                guard error.isRetriable else { throw error }
            }
        }
        return try await body()
    }

    @Test(arguments: StoreKind.allCases)
    func oneDeviceMaySubscribeToManyTopicsAtOnce(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let answers = try await atOnce(60) { number in
                try await clients[number % 2].subscribe(id, to: Samples.topic(number % 30), options: [], in: app)
            }
            #expect(answers.filter { $0 == .created }.count == 30)
            #expect(try await registry.subscriptions(of: id, in: app)?.count == 30)
            for number in 0..<30 {
                #expect(try await registry.size(of: .topic(Samples.topic(number)), in: app) == 1)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func manyDevicesMayComeToOneTopicAndLeaveIt(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let topic = try TopicName("new to all of them")
            let ids = try await atOnce(100) {
                try await registry.register(Samples.token($0), changes: DeviceChanges(), in: app).registered.id
            }
            _ = try await atOnce(200) { number in
                let (client, id) = (clients[number % 2], ids[number / 2])
                // Every second device leaves and returns; whatever the order, all are members at the end.
                _ = try await client.subscribe(id, to: topic, options: [], in: app)
                guard number % 4 == 0 else { return }
                _ = try await client.unsubscribe(id, from: topic, in: app)
                _ = try await client.subscribe(id, to: topic, options: [], in: app)
            }
            #expect(try await fixture.members(of: .topic(topic), registry).members == Set(ids))
            _ = try await atOnce(100) { try await clients[$0 % 2].unsubscribe(ids[$0], from: topic, in: app) }
            #expect(try await registry.size(of: .topic(topic), in: app) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func ofSeveralListsOneHolds(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let lists = try (0..<8).map { list in
                Dictionary(
                    uniqueKeysWithValues: try (0..<10).map { (try Samples.topic(list * 3 + $0), SubscriptionOptions()) }
                )
            }
            _ = try await atOnce(lists.count) { number in
                try await repeating {
                    try await clients[number % 2].setSubscriptions(of: id, to: lists[number], in: app)
                }
            }
            let held = try #require(try await registry.subscriptions(of: id, in: app))
            #expect(lists.contains(held))
            for number in 0..<31 {
                let topic = try Samples.topic(number)
                #expect(try await registry.size(of: .topic(topic), in: app) == (held[topic] == nil ? 0 : 1))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceIsRemovedOnce(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            for round in 0..<10 {
                let id = try await registry.register(Samples.token(round), changes: DeviceChanges(), in: app).registered
                    .id
                let answers = try await atOnce(6) { try await clients[$0 % 2].remove(id, in: app) }
                #expect(answers.filter { $0 }.count == 1)
            }
            #expect(try await registry.size(of: .everyone, in: app) == 0)
        }
    }

    /// Goal: concurrent registrations and removals leave a token with one living device or none, and all lookups agree.
    @Test(arguments: StoreKind.allCases)
    func registrationsAndRemovalsLeaveOneDeviceOrNone(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let changes = DeviceChanges(aliases: [.externalUser: "anna"])
            for round in 0..<10 {
                let token = try Samples.token(round)
                let first = try await registry.register(token, changes: changes, in: app).registered.id
                let ids = try await atOnce(12) { number -> DeviceID? in
                    let client = clients[number % 2]
                    guard number % 3 == 0 else {
                        return try await repeating {
                            try await client.register(token, changes: changes, in: app).registered.id
                        }
                    }
                    _ = try await repeating { try await client.remove(first, in: app) }
                    return nil
                }
                let holder = try await registry.device(of: token, in: app)
                for id in Set(ids.compactMap { $0 } + [first]) where id != holder {
                    #expect(try await registry.device(id, in: app) == nil)
                }
                let living = try await fixture.members(of: .everyone, registry).members
                #expect(living == Set([holder].compactMap { $0 }))
                try await expectDevices(of: Samples.user("anna"), are: Array(living), in: app, registry)
                if let holder { _ = try await registry.remove(holder, in: app) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func everyFailureCounts(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, clients) = (fixture.app, [registry, try await fixture.client()])
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let verdicts = try await atOnce(30) { try await clients[$0 % 2].countFailure(of: id, limit: 20, in: app) }
            #expect(Set(verdicts) == Set((1...19).map { .counted($0) } + [.removed, .unknownDevice]))
            #expect(verdicts.filter { $0 == .removed }.count == 1)
        }
    }
}
