import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistrationTests {
    @Test(arguments: StoreKind.allCases)
    func aNewDeviceIsWhatWasSaidOfIt(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let changes = DeviceChanges(
                environment: .sandbox, contentAvailable: false, language: "de-CH", version: "1.2.3", category: "tablet",
                timeZone: "Europe/Zürich", badge: 7, aliases: [.externalUser: "käthe", .hardware: "h-1"])
            let answer = try await registry.register(Samples.token(1), changes: changes, in: fixture.app)
            #expect(answer.isNew)
            let seconds = UInt32(fixture.time.now.milliseconds / 1_000)
            var expected = Device(tag: answer.registered.id.tag, token: try Samples.token(1), created: seconds)
            expected.environment = .sandbox
            expected.contentAvailable = false
            expected.language = "de-CH"
            expected.version = "1.2.3"
            expected.category = "tablet"
            expected.timeZone = "Europe/Zürich"
            expected.aliases = [.externalUser: "käthe", .hardware: "h-1"]
            #expect(answer.registered.device == expected)
            #expect(answer.registered.badge == 7)
            let read = try await registry.device(answer.registered.id, in: fixture.app)
            #expect(read == answer.registered)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aKnownTokenKeepsItsIdAndWhatIsNotMentioned(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let first = try await registry.register(
                Samples.token(1), changes: DeviceChanges(language: "de", badge: 3, aliases: [.externalUser: "anna"]),
                in: fixture.app)
            fixture.time.advance(by: .seconds(60))
            let again = try await registry.register(
                Samples.token(1), changes: DeviceChanges(version: "2"), in: fixture.app)
            #expect(!again.isNew)
            #expect(again.registered.id == first.registered.id)
            #expect(again.registered.badge == 3)
            var expected = first.registered.device
            expected.version = "2"
            expected.updated += 60
            #expect(again.registered.device == expected)
            let found = try await registry.device(of: Samples.token(1), in: fixture.app)
            #expect(found == first.registered.id)
        }
    }

    /// A browser that subscribes again at the same endpoint has new keys; no other change touches them.
    @Test(arguments: StoreKind.allCases)
    func theKeysOfABrowserChangeWithItsSubscription(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let token = try PushToken(.webpush, text: "https://push.example/send/1?a=_-")
            let keys = try (1...2).map { number in
                try #require(
                    WebPushKeys(
                        publicKey: [4] + Array(repeating: UInt8(number), count: 64),
                        secret: Array(repeating: UInt8(number), count: 16)))
            }
            let first = try await registry.register(
                token, changes: DeviceChanges(webPushKeys: keys[0]), in: fixture.app)
            #expect(first.registered.device.webPushKeys == keys[0])
            let id = first.registered.id
            _ = try await registry.register(token, changes: DeviceChanges(language: "fi"), in: fixture.app)
            #expect(try await registry.change(id, changes: DeviceChanges(badge: 1), in: fixture.app))
            #expect(try await registry.device(id, in: fixture.app)?.device.webPushKeys == keys[0])
            let second = try await registry.register(
                token, changes: DeviceChanges(webPushKeys: keys[1]), in: fixture.app)
            #expect(!second.isNew && second.registered.id == id)
            let read = try await registry.device(id, in: fixture.app)?.device
            #expect(read?.webPushKeys == keys[1] && read?.language == "fi" && read?.token == token)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneTokenTextOfTwoProvidersIsTwoDevices(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let text = String(repeating: "a1", count: 32)
            let apple = try await registry.register(
                PushToken(.apns, text: text), changes: DeviceChanges(), in: fixture.app)
            let google = try await registry.register(
                PushToken(.fcm, text: text), changes: DeviceChanges(), in: fixture.app)
            #expect(apple.isNew && google.isNew)
            #expect(apple.registered.id != google.registered.id)
            #expect(try await registry.device(of: PushToken(.fcm, text: text), in: fixture.app) == google.registered.id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func tokensOfEveryProviderComeBackAsTheyWere(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let tokens = try [
                PushToken(.apns, text: String(repeating: "0F", count: 100)),
                PushToken(.fcm, text: "cXy-_09:" + String(repeating: "APA91b", count: 25)),
                PushToken(.huawei, text: "IQAAAACy0kYwAADKsJ!~+/=\"'\\"),
                PushToken(.webpush, text: "https://push.example/" + String(repeating: "z", count: 2_000)),
                PushToken(.http, text: "http://device.example:8080/a?b=c&d=%20"),
            ]
            for token in tokens {
                let answer = try await registry.register(token, changes: DeviceChanges(), in: fixture.app)
                let read = try await registry.device(answer.registered.id, in: fixture.app)
                #expect(read?.device.token == token)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aChangeIsPartial(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let first = try await registry.register(
                Samples.token(1), changes: DeviceChanges(environment: .sandbox, language: "de"), in: fixture.app)
            let id = first.registered.id
            fixture.time.advance(by: .seconds(5))
            #expect(
                try await registry.change(id, changes: DeviceChanges(contentAvailable: true, badge: 0), in: fixture.app)
            )
            var expected = first.registered.device
            expected.contentAvailable = true
            expected.updated += 5
            let read = try await registry.device(id, in: fixture.app)
            #expect(read == RegisteredDevice(id: id, device: expected, badge: 0))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anIdThatIsNotThereIsAnsweredAsUnknown(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let known = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: fixture.app)
                .registered.id
            let absent = [
                DeviceID(index: known.index, tag: known.tag &+ 1),
                DeviceID(index: DeviceIndex(rawValue: known.index.rawValue + 1), tag: known.tag),
                DeviceID(index: DeviceIndex(rawValue: .max), tag: 0),
            ]
            for id in absent { try await expectUnknown(id, in: fixture.app, registry: registry) }
            #expect(try await registry.device(known, in: AppID("another")) == nil)
            #expect(try await registry.device(of: Samples.token(1), in: AppID("another")) == nil)
            #expect(try await registry.device(known, in: fixture.app) != nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRemovedDeviceTakesEverythingWithIt(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let user = try Samples.user("anna")
            let topic = try Samples.topic(1)
            let id = try await registry.register(
                Samples.token(1), changes: DeviceChanges(badge: 4, aliases: [.externalUser: user.value]), in: app
            ).registered.id
            _ = try await registry.subscribe(id, to: topic, options: [], in: app)
            #expect(try await registry.remove(id, in: app))
            try await expectUnknown(id, in: app, registry: registry)
            #expect(try await registry.device(of: Samples.token(1), in: app) == nil)
            #expect(try await registry.devices(of: user, in: app) == [])
            #expect(try await registry.size(of: .topic(topic), in: app) == 0)
            #expect(try await registry.size(of: .everyone, in: app) == 0)
            #expect(try await registry.purge(topic, in: app) == 0)
        }
    }

    /// Goal: a removed device's data does not reach its successor. Method: the token registers again.
    @Test(arguments: StoreKind.allCases)
    func aTokenThatComesBackIsAnotherDevice(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let topic = try Samples.topic(1)
            let old = try await registry.register(
                Samples.token(1), changes: DeviceChanges(language: "de", badge: 4, aliases: [.externalUser: "anna"]),
                in: app
            ).registered.id
            _ = try await registry.subscribe(old, to: topic, options: [], in: app)
            _ = try await registry.remove(old, in: app)
            let back = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app)
            #expect(back.isNew)
            #expect(back.registered.id.index != old.index)
            #expect(back.registered.badge == nil)
            #expect(back.registered.device.language == nil && back.registered.device.aliases.isEmpty)
            #expect(try await registry.subscriptions(of: back.registered.id, in: app) == [:])
            try await expectUnknown(old, in: app, registry: registry)
            #expect(try await registry.device(of: Samples.token(1), in: app) == back.registered.id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aBadgeStaysUntilItIsReportedAnew(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            #expect(try await registry.device(id, in: app)?.badge == nil)
            for badge: UInt32 in [5, 0, 99_999, .max] {
                #expect(try await registry.change(id, changes: DeviceChanges(badge: badge), in: app))
                #expect(try await registry.change(id, changes: DeviceChanges(language: "fr"), in: app))
                #expect(try await registry.device(id, in: app)?.badge == badge)
            }
        }
    }

    /// A device remembers that its app reports moments until it is removed.
    @Test(arguments: StoreKind.allCases)
    func aMomentIsRememberedUntilTheRemoval(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, token) = (fixture.app, try Samples.token(1))
            let first = try await registry.register(token, changes: DeviceChanges(), in: app).registered
            #expect(!first.device.reportsMoments)
            #expect(try await registry.change(first.id, changes: .firstMoment, in: app))
            let changed = try #require(try await registry.device(first.id, in: app))
            #expect(changed.device.reportsMoments && changed.device.updated == first.device.updated)
            let again = try await registry.register(token, changes: DeviceChanges(language: "fr"), in: app)
            #expect(again.registered.id == first.id && again.registered.device.reportsMoments)
            #expect(try await registry.remove(first.id, in: app))
            #expect(try await !registry.change(first.id, changes: .firstMoment, in: app))
            let fresh = try await registry.register(token, changes: DeviceChanges(), in: app)
            #expect(fresh.isNew && !fresh.registered.device.reportsMoments)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func failuresAreCountedUpToTheRemoval(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let other = try await registry.register(Samples.token(2), changes: DeviceChanges(), in: app).registered.id
            #expect(try await registry.countFailure(of: id, limit: 3, in: app) == .counted(1))
            #expect(try await registry.countFailure(of: id, limit: 3, in: app) == .counted(2))
            #expect(try await registry.countFailure(of: other, limit: 3, in: app) == .counted(1))
            #expect(try await registry.countFailure(of: id, limit: 3, in: app) == .removed)
            #expect(try await registry.countFailure(of: id, limit: 3, in: app) == .unknownDevice)
            try await expectUnknown(id, in: app, registry: registry)
            #expect(try await registry.device(other, in: app) != nil)
        }
    }

    /// Results are delivered again: interleaved with others, and after they have caused the removal of the device.
    @Test(arguments: StoreKind.allCases)
    func aFailureReportedTwiceCountsOnce(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let other = try await registry.register(Samples.token(2), changes: DeviceChanges(), in: app).registered.id
            let tasks = (0...RegistryBounds.failuresRemembered).map { TaskID(high: 1, low: UInt64($0)) }
            for (number, task) in tasks.dropLast().enumerated() {
                for known in tasks[...number] {
                    let verdict = try await registry.countFailure(of: id, by: known, limit: 9, in: app)
                    #expect(verdict == .counted(known == task ? number + 1 : number), "\(known) after \(task)")
                }
                #expect(try await registry.countFailure(of: id, by: task, limit: 9, in: app) == .counted(number + 1))
            }
            #expect(try await registry.countFailure(of: other, by: tasks[0], limit: 9, in: app) == .counted(1))
            #expect(try await registry.countFailure(of: id, by: tasks[8], limit: 9, in: app) == .removed)
            #expect(try await registry.countFailure(of: id, by: tasks[8], limit: 9, in: app) == .unknownDevice)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeviceThatSpeaksHasItsFailuresForgotten(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            _ = try await registry.countFailure(of: id, limit: 3, in: app)
            _ = try await registry.countFailure(of: id, limit: 3, in: app)
            _ = try await registry.change(id, changes: DeviceChanges(), in: app)
            #expect(try await registry.countFailure(of: id, limit: 3, in: app) == .counted(1))
            _ = try await registry.countFailure(of: id, limit: 3, in: app)
            _ = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app)
            #expect(try await registry.countFailure(of: id, limit: 3, in: app) == .counted(1))
        }
    }

    /// Only failures of the listed devices; unknown devices in unknown segments are ignored.
    @Test(arguments: StoreKind.allCases)
    func aDeliveryHasFailuresForgotten(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            var ids: [DeviceID] = []
            for number in 0..<6 {
                ids.append(
                    try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app).registered.id)
            }
            try await registry.forgetFailures(of: ids, in: app)
            for id in ids { #expect(try await registry.countFailure(of: id, limit: 9, in: app) == .counted(1)) }
            let stranger = DeviceID(index: DeviceIndex(segment: SegmentNumber(rawValue: 900), offset: 1), tag: 1)
            try await registry.forgetFailures(of: Array(ids[..<4]) + [stranger, ids[0]], in: app)
            for (number, id) in ids.enumerated() {
                let counted = try await registry.countFailure(of: id, limit: 9, in: app)
                #expect(counted == .counted(number < 4 ? 1 : 2))
            }
            try await registry.forgetFailures(of: [], in: app)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func everyClientSeesWhatAnotherDid(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let (app, other) = (fixture.app, try await fixture.client())
            let topic = try Samples.topic(1)
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            #expect(try await other.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id == id)
            #expect(try await other.subscribe(id, to: topic, options: [], in: app) == .created)
            #expect(try await registry.subscribe(id, to: topic, options: [], in: app) == .updated)
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)
            #expect(try await registry.remove(id, in: app))
            #expect(try await other.device(id, in: app) == nil)
        }
    }
}

/// Every operation on an unknown id reports it as unknown, and none of them creates a device.
func expectUnknown(
    _ id: DeviceID, in app: AppID, registry: any TestedRegistry, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let topic = try TopicName("of nobody")
    for _ in 1...2 {
        let device = try await registry.device(id, in: app)
        let isChanged = try await registry.change(id, changes: DeviceChanges(language: "xx", badge: 1), in: app)
        let isRemoved = try await registry.remove(id, in: app)
        let subscriptions = try await registry.subscriptions(of: id, in: app)
        let subscribed = try await registry.subscribe(id, to: topic, options: [], in: app)
        let unsubscribed = try await registry.unsubscribe(id, from: topic, in: app)
        let isSet = try await registry.setSubscriptions(of: id, to: [topic: []], in: app)
        let verdict = try await registry.countFailure(of: id, limit: 10, in: app)
        #expect(device == nil, sourceLocation: sourceLocation)
        #expect(!isChanged && !isRemoved && !isSet, sourceLocation: sourceLocation)
        #expect(subscriptions == nil && subscribed == nil && unsubscribed == nil, sourceLocation: sourceLocation)
        #expect(verdict == .unknownDevice, sourceLocation: sourceLocation)
    }
    #expect(try await registry.size(of: .topic(topic), in: app) == 0, sourceLocation: sourceLocation)
}
