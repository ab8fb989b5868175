import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistryAudienceTests {
    /// Devices 0 to 7: the bits of a number select the topics a, b and c it is subscribed to.
    private func populate(_ registry: any TestedRegistry, app: AppID) async throws -> [DeviceID] {
        var ids: [DeviceID] = []
        for number in 0..<8 {
            let id = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app).registered.id
            for (bit, topic) in ["a", "b", "c"].enumerated() where number >> bit & 1 == 1 {
                _ = try await registry.subscribe(id, to: TopicName(topic), options: [], in: app)
            }
            ids.append(id)
        }
        return ids
    }

    @Test(arguments: StoreKind.allCases)
    func anAudienceIsWhatItsWordsMean(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let ids = try await populate(registry, app: fixture.app)
            let (a, b, c) = (try Audience.topic("a"), try Audience.topic("b"), try Audience.topic("c"))
            let expected: [(Audience, [Int])] = [
                (.everyone, Array(0..<8)), (a, [1, 3, 5, 7]), (.not(a), [0, 2, 4, 6]), (.not(.everyone), []),
                (.all([a, b]), [3, 7]), (.any([a, b]), [1, 2, 3, 5, 6, 7]), (.all([]), Array(0..<8)), (.any([]), []),
                (.any([a, a]), [1, 3, 5, 7]), (.all([a, .not(b)]), [1, 5]), (.any([.not(a), c]), [0, 2, 4, 5, 6, 7]),
                (.not(.any([a, b, c])), [0]), (.all([.any([a, b]), .not(.all([a, b])), c]), [5, 6]),
                (.not(.not(.all([b, c]))), [6, 7]), (.all([.everyone, a]), [1, 3, 5, 7]),
                (.any([.all([a, b, c]), .all([.not(a), .not(b), .not(c)])]), [0, 7]),
                (try .topic("unknown"), []), (.any([try .topic("unknown"), a]), [1, 3, 5, 7]),
                (.all([try .topic("unknown"), a]), []), (.not(try .topic("unknown")), Array(0..<8)),
            ]
            for (audience, numbers) in expected {
                let found = try await fixture.members(of: audience, registry)
                #expect(found.members == Set(numbers.map { ids[$0] }), "\(audience)")
                #expect(found.silent.isEmpty)
                #expect(try await registry.size(of: audience, in: fixture.app) == numbers.count, "\(audience)")
            }
        }
    }

    /// Goal: filters decide by the records of the devices, alone and with topics; a member that only a subscription
    /// without alerts and a filter select is silent.
    @Test(arguments: StoreKind.allCases)
    func filtersReadTheRecords(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let topic = try TopicName("a")
            let changes: [DeviceChanges] = [
                DeviceChanges(language: "fr_CA", appVersion: "2.10", timeZone: "America/Toronto"),
                DeviceChanges(language: "fr", aliases: [.externalUser: "u"]), DeviceChanges(appVersion: "2.9"),
                DeviceChanges(),
            ]
            var ids: [DeviceID] = []
            for (number, change) in changes.enumerated() {
                let id = try await registry.register(Samples.token(number), changes: change, in: app).registered.id
                if number != 3 {
                    _ = try await registry.subscribe(id, to: topic, options: .ignoreMessage, in: app)
                }
                ids.append(id)
            }
            let french = Audience.filter(.language(try LanguageRange("fr")))
            let recent = Audience.filter(
                .appVersion(try AppVersionRange(from: AppVersion("2.10".utf8), below: nil)))
            let now = try #require(try await registry.device(ids[0], in: app)).device.created
            let moment = Timestamp(milliseconds: Int64(now) * 1_000)
            let seen = Audience.filter(.seen(try TimeRange(since: .ago(.seconds(60)), before: nil)))
            let expected: [(Audience, [Int], silent: [Int])] = [
                (french, [0, 1], []), (.not(french), [2, 3], []), (.all([.topic(topic), french]), [0, 1], [0, 1]),
                (.any([.all([.topic(topic), .not(french)]), recent]), [0, 2], [2]),
                (.all([.not(.topic(topic)), .filter(.user(false))]), [3], []),
                (.filter(.user(true)), [1], []), (.filter(.platform(.web)), [], []), (seen, [0, 1, 2, 3], []),
                (.filter(.timeZone(try TimeZonePattern("America/*"))), [0], []),
            ]
            for (audience, numbers, silent) in expected {
                let segment = SegmentID(app, number: ids[0].index.segment)
                let chosen = try await registry.select(audience, in: segment, at: moment)
                #expect(chosen.members == SegmentSet(numbers.map { ids[$0].index.offset }), "\(audience)")
                #expect(chosen.silent == SegmentSet(silent.map { ids[$0].index.offset }), "\(audience)")
                #expect(try await registry.size(of: audience, in: app, at: moment) == numbers.count, "\(audience)")
            }
            #expect(try await registry.size(of: seen, in: app, at: moment + .seconds(3_600)) == 0)
        }
    }

    /// Goal: a member is silent if a matching subscription requests it and no matching subscription wants the alert.
    @Test(arguments: StoreKind.allCases)
    func alertsAreKeptFromThoseWhoIgnoreThem(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let (a, b) = (try TopicName("a"), try TopicName("b"))
            let lists: [[TopicName: SubscriptionOptions]] = [
                [a: []], [a: .ignoreMessage], [a: .ignoreMessage, b: []], [a: .ignoreMessage, b: .ignoreMessage],
                [b: .ignoreMessage], [:],
            ]
            var ids: [DeviceID] = []
            for (number, list) in lists.enumerated() {
                let id = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: app)
                    .registered.id
                _ = try await registry.setSubscriptions(of: id, to: list, in: app)
                ids.append(id)
            }
            let expected: [(Audience, members: [Int], silent: [Int])] = [
                (.topic(a), [0, 1, 2, 3], [1, 2, 3]), (.topic(b), [2, 3, 4], [3, 4]),
                (.any([.topic(a), .topic(b)]), [0, 1, 2, 3, 4], [1, 3, 4]),
                (.all([.topic(a), .topic(b)]), [2, 3], [3]),
                (.all([.topic(a), .not(.topic(b))]), [0, 1], [1]), (.everyone, [0, 1, 2, 3, 4, 5], []),
                (.any([.everyone, .topic(a)]), [0, 1, 2, 3, 4, 5], [1, 2, 3]), (.not(.topic(a)), [4, 5], []),
            ]
            for (audience, members, silent) in expected {
                let found = try await fixture.members(of: audience, registry)
                #expect(found.members == Set(members.map { ids[$0] }), "\(audience)")
                #expect(found.silent == Set(silent.map { ids[$0] }), "\(audience)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theRemovedAreNeverMeant(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let ids = try await populate(registry, app: fixture.app)
            for number in [0, 3, 7] { _ = try await registry.remove(ids[number], in: fixture.app) }
            for number in 8..<11 {
                _ = try await registry.register(Samples.token(number), changes: DeviceChanges(), in: fixture.app)
            }
            let a = try Audience.topic("a")
            #expect(try await fixture.members(of: a, registry).members == [ids[1], ids[5]])
            #expect(try await registry.size(of: .everyone, in: fixture.app) == 8)
            #expect(try await registry.size(of: .not(a), in: fixture.app) == 6)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anAppWithoutDevicesHasNoMembers(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let audiences = [Audience.everyone, try .topic("a"), .not(try .topic("a"))]
            for audience in audiences {
                #expect(try await fixture.members(of: audience, registry).members.isEmpty)
                #expect(try await registry.size(of: audience, in: fixture.app) == 0)
            }
        }
    }

    /// Goal: no device is missed or returned twice if an app has several segments. Method: the projector fills both
    /// sides of one segment boundary and the start of a third segment, which has a topic of its own.
    @Test(arguments: StoreKind.allCases)
    func anAudienceReachesOverSegments(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let border = DeviceIndex.segmentCapacity
            let numbers = Array(border - 3_000..<border + 3_000) + Array(2 * border..<2 * border + 10)
            let count = numbers.count
            let thirds = numbers.filter { $0.isMultiple(of: 3) }
            let third = try TopicName("every third")
            let last = try TopicName("in the last segment")
            var changes: [RegistryChange] = []
            for number in numbers {
                let index = DeviceIndex(rawValue: UInt32(number))
                changes.append(RegistryChange(app: app, index: index, .device(try Samples.device(number))))
                let topics = (number.isMultiple(of: 3) ? [third] : []) + (number >= 2 * border + 5 ? [last] : [])
                for topic in topics {
                    changes.append(RegistryChange(app: app, index: index, .subscription(topic, [])))
                }
            }
            try await registry.project(changes)
            #expect(try await registry.size(of: .everyone, in: app) == count)
            #expect(try await registry.size(of: .topic(third), in: app) == thirds.count)
            #expect(try await registry.size(of: .not(.topic(third)), in: app) == count - thirds.count)
            #expect(try await registry.size(of: .topic(last), in: app) == 5)
            #expect(try await registry.segments(of: .everyone, in: app).map(\.rawValue) == [0, 1, 2])
            #expect(try await registry.segments(of: .topic(last), in: app).map(\.rawValue).contains(2))
            let found = try await fixture.members(of: .topic(third), registry)
            let expected = try thirds.map { number in
                DeviceID(index: DeviceIndex(rawValue: UInt32(number)), tag: try Samples.device(number).tag)
            }
            #expect(found.members == Set(expected))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func recordsAreReadInPackedForm(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let offsets = (0..<1_000).map { UInt16($0 * 4) }
            let changes = try offsets.map { offset in
                RegistryChange(
                    app: app, index: DeviceIndex(rawValue: UInt32(offset)),
                    .device(try Samples.device(Int(offset), user: "user \(offset)")))
            }
            let gone = RegistryChange(app: app, index: DeviceIndex(rawValue: 400), .device(nil))
            try await registry.project(changes + [gone])
            let segment = SegmentID(app, number: SegmentNumber(rawValue: 0))
            let whole = try await registry.devices(at: SegmentSet(0..<4_096), in: segment)
            #expect(whole.offsets == offsets.filter { $0 != 400 })
            for (position, offset) in whole.offsets.enumerated() {
                #expect(try whole.device(at: position) == Samples.device(Int(offset), user: "user \(offset)"))
            }
            let few = try await registry.devices(at: SegmentSet([3, 4, 5, 128, 400, 3_996, 4_095]), in: segment)
            #expect(few.offsets == [4, 128, 3_996])
            #expect(try few.device(at: 1) == Samples.device(128, user: "user 128"))
            #expect(try await registry.devices(at: SegmentSet(), in: segment).count == 0)
            let empty = SegmentID(app, number: SegmentNumber(rawValue: 9))
            #expect(try await registry.devices(at: SegmentSet(0..<4_096), in: empty).count == 0)
        }
    }
}
