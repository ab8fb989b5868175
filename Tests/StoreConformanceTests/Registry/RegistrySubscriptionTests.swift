import PushModel
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistrySubscriptionTests {
    /// Goal: no topic name collides with the store's own keys. Method: single letters and parts of key names.
    @Test(arguments: StoreKind.allCases)
    func shortNamesAreNamesLikeAnyOther(kind: StoreKind) async throws {
        try await kind.withRegistry(.shared) { registry, fixture in
            let names = "abcdefghijklmnopqrstuvwxyz".map { String($0) } + ["generation", "=", "=g", "0", "?"]
            let topics = try names.map { try TopicName($0) }
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: fixture.app).registered
                .id
            for topic in topics {
                #expect(try await registry.subscribe(id, to: topic, options: [], in: fixture.app) == .created)
            }
            let held = try await registry.subscriptions(of: id, in: fixture.app)
            #expect(held.map { Set($0.keys) } == Set(topics))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSubscriptionIsMadeChangedAndEnded(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let topic = try Samples.topic(1)
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            #expect(try await registry.subscriptions(of: id, in: app) == [:])
            #expect(try await registry.unsubscribe(id, from: topic, in: app) == false)
            #expect(try await registry.subscribe(id, to: topic, options: [], in: app) == .created)
            #expect(try await registry.subscriptions(of: id, in: app) == [topic: []])
            #expect(try await registry.subscribe(id, to: topic, options: .ignoreMessage, in: app) == .updated)
            #expect(try await registry.subscriptions(of: id, in: app) == [topic: .ignoreMessage])
            #expect(try await registry.subscribe(id, to: topic, options: .ignoreMessage, in: app) == .updated)
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)
            #expect(try await registry.unsubscribe(id, from: topic, in: app) == true)
            #expect(try await registry.unsubscribe(id, from: topic, in: app) == false)
            #expect(try await registry.subscriptions(of: id, in: app) == [:])
            #expect(try await registry.size(of: .topic(topic), in: app) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func subscriptionsSurviveARegistration(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let topic = try Samples.topic(1)
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            _ = try await registry.subscribe(id, to: topic, options: .ignoreMessage, in: app)
            _ = try await registry.register(Samples.token(1), changes: DeviceChanges(language: "de"), in: app)
            _ = try await registry.change(id, changes: DeviceChanges(version: "2"), in: app)
            #expect(try await registry.subscriptions(of: id, in: app) == [topic: .ignoreMessage])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSetListIsExactlyTheList(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let topics = try (0..<6).map { try Samples.topic($0) }
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let other = try await registry.register(Samples.token(2), changes: DeviceChanges(), in: app).registered.id
            _ = try await registry.subscribe(other, to: topics[0], options: [], in: app)
            let lists: [[TopicName: SubscriptionOptions]] = [
                [topics[0]: [], topics[1]: .ignoreMessage, topics[2]: []],
                [topics[1]: [], topics[2]: [], topics[3]: .ignoreMessage],
                [topics[1]: [], topics[2]: [], topics[3]: .ignoreMessage],
                [topics[5]: []],
                [:],
                [topics[0]: .ignoreMessage],
            ]
            for list in lists {
                #expect(try await registry.setSubscriptions(of: id, to: list, in: app))
                #expect(try await registry.subscriptions(of: id, in: app) == list)
                for topic in topics {
                    let expected = (list[topic] == nil ? 0 : 1) + (topic == topics[0] ? 1 : 0)
                    #expect(try await registry.size(of: .topic(topic), in: app) == expected)
                }
            }
            #expect(try await registry.subscriptions(of: other, in: app) == [topics[0]: []])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceHasSoManySubscriptionsAndNoMore(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let maximum = RegistryBounds.subscriptionsMaximum
            let topics = try (0...maximum).map { try Samples.topic($0) }
            let all = Dictionary(uniqueKeysWithValues: topics.map { ($0, SubscriptionOptions()) })
            let full = Dictionary(uniqueKeysWithValues: topics.dropLast().map { ($0, SubscriptionOptions()) })
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            #expect(try await registry.setSubscriptions(of: id, to: [topics[0]: .ignoreMessage], in: app))
            await expectError(.tooMany) { _ = try await registry.setSubscriptions(of: id, to: all, in: app) }
            #expect(try await registry.subscriptions(of: id, in: app) == [topics[0]: .ignoreMessage])
            #expect(try await registry.setSubscriptions(of: id, to: full, in: app))
            await expectError(.tooMany) {
                _ = try await registry.subscribe(id, to: topics[maximum], options: [], in: app)
            }
            #expect(try await registry.subscriptions(of: id, in: app) == full)
            #expect(try await registry.subscribe(id, to: topics[5], options: .ignoreMessage, in: app) == .updated)
            #expect(try await registry.unsubscribe(id, from: topics[6], in: app) == true)
            #expect(try await registry.subscribe(id, to: topics[maximum], options: [], in: app) == .created)
            #expect(try await registry.subscriptions(of: id, in: app)?.count == maximum)
            for topic in [topics[0], topics[5], topics[maximum]] {
                #expect(try await registry.size(of: .topic(topic), in: app) == 1)
            }
            #expect(try await registry.size(of: .topic(topics[6]), in: app) == 0)
        }
    }

    /// Goal: a device that subscribes after a purge stays subscribed, while the lists of the others are still to
    /// follow. Method: 300 devices, whose members are a bitmap; every way to subscribe again, then every way to read,
    /// then a sweep.
    @Test(arguments: StoreKind.allCases)
    func subscriptionsAfterAPurgeStay(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, topic) = (fixture.app, try Samples.topic(1))
            var ids: [DeviceID] = []
            for number in 0..<300 {
                let id = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app)
                    .registered.id
                _ = try await registry.subscribe(id, to: topic, options: .ignoreMessage, in: app)
                ids.append(id)
            }
            #expect(try await registry.purge(topic, in: app) == 300)
            #expect(try await registry.subscribe(ids[0], to: topic, options: [], in: app) == .created)
            #expect(try await registry.setSubscriptions(of: ids[1], to: [topic: []], in: app))
            #expect(try await registry.unsubscribe(ids[2], from: topic, in: app) == false)
            #expect(try await registry.remove(ids[3], in: app))
            // A second purge while the first one's lists are not done.
            #expect(try await registry.purge(topic, in: app) == 2)
            #expect(try await registry.subscribe(ids[299], to: topic, options: [], in: app) == .created)
            _ = try await registry.sweep()
            #expect(try await registry.subscriptions(of: ids[0], in: app) == [:])
            #expect(try await registry.subscriptions(of: ids[150], in: app) == [:])
            #expect(try await registry.subscriptions(of: ids[299], in: app) == [topic: []])
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)
            #expect(try await registry.subscribe(ids[299], to: topic, options: [], in: app) == .updated)
        }
    }

    /// Goal: with the log a purge is in it, and a registry filled from what compaction leaves has the same members.
    @Test(arguments: StoreKind.unwrapped)
    func aPurgeSurvivesInTheLog(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let (app, topic) = (fixture.app, try Samples.topic(1))
            let log = TestLog(projection: registry)
            let client = try await fixture.client(journal: log)
            var ids: [DeviceID] = []
            for number in 0..<5 {
                let id = try await client.register(Samples.token(number), changes: DeviceChanges(), in: app)
                    .registered.id
                _ = try await client.subscribe(id, to: topic, options: [], in: app)
                ids.append(id)
            }
            #expect(try await client.purge(topic, in: app) == 5)
            #expect(try await client.purge(topic, in: app) == 0)
            #expect(try await client.setSubscriptions(of: ids[1], to: [topic: []], in: app))
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)

            let refill = try await registry.beginRebuild()
            try await refill.apply(log.compacted)
            try await refill.finish()
            _ = try await registry.sweep()
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)
            #expect(try await registry.subscriptions(of: ids[0], in: app) == [:])
            #expect(try await registry.subscriptions(of: ids[1], in: app) == [topic: []])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPurgedTopicHasNoMembers(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, another) = (fixture.app, try AppID(fixture.app.text + "-2"))
            let (topic, kept) = (try Samples.topic(1), try Samples.topic(2))
            var ids: [DeviceID] = []
            for number in 0..<20 {
                let id = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app)
                    .registered.id
                _ = try await registry.subscribe(
                    id, to: topic, options: number.isMultiple(of: 2) ? [] : .ignoreMessage, in: app)
                _ = try await registry.subscribe(id, to: kept, options: [], in: app)
                ids.append(id)
            }
            let stranger = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: another)
                .registered.id
            _ = try await registry.subscribe(stranger, to: topic, options: [], in: another)
            #expect(try await registry.purge(topic, in: app) == 20)
            #expect(try await registry.size(of: .topic(topic), in: app) == 0)
            #expect(try await registry.size(of: .topic(kept), in: app) == 20)
            for id in ids { #expect(try await registry.subscriptions(of: id, in: app) == [kept: []]) }
            #expect(try await registry.subscriptions(of: stranger, in: another) == [topic: []])
            #expect(try await registry.purge(topic, in: app) == 0)
            #expect(try await registry.purge(TopicName("never heard of"), in: app) == 0)
            #expect(try await registry.subscribe(ids[3], to: topic, options: [], in: app) == .created)
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)
        }
    }

    /// Goal: a topic's name is any text, and names that look alike are different.
    @Test(arguments: StoreKind.allCases)
    func topicsMayHaveAnyName(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let texts = [
                "0", "1", "01", " ", "a", "A", "a ", "{a}", "{}", "*", "a*", "?", "[a]", "a:b", "a:b:c", "a/b", "\"",
                "\\",
                "'", "%s", "$1", "|", "caf\u{E9}", "cafe\u{301}", "用户", "\u{1F514}", "\u{80}", "\u{FEFF}a",
                String(repeating: "x", count: 256), String(repeating: "x", count: 255) + "y",
                String(repeating: "é", count: 128),
            ]
            let topics = try texts.map { try TopicName($0) }
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            for topic in topics {
                #expect(try await registry.subscribe(id, to: topic, options: [], in: app) == .created)
            }
            let found = try await registry.subscriptions(of: id, in: app)
            #expect(found == Dictionary(uniqueKeysWithValues: topics.map { ($0, []) }))
            for (position, topic) in topics.enumerated() {
                #expect(try await registry.size(of: .topic(topic), in: app) == 1)
                #expect(try await registry.unsubscribe(id, from: topic, in: app) == true)
                #expect(try await registry.size(of: .topic(topic), in: app) == 0)
                let left = try await registry.subscriptions(of: id, in: app)
                #expect(left?.count == topics.count - position - 1, "\(topic.text.debugDescription)")
            }
        }
    }
}
