import PushModel
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistryProjectionTests {
    private let topic: TopicName
    private let number = 4_099
    private let index: DeviceIndex
    private let id: DeviceID

    init() throws {
        topic = try TopicName("t")
        index = DeviceIndex(rawValue: UInt32(number))
        id = DeviceID(index: index, tag: try Samples.device(number).tag)
    }

    private func change(_ app: AppID, content: RegistryChange.Content) -> RegistryChange {
        RegistryChange(app: app, index: index, content)
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsProjectedIsThere(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let device = try Samples.device(number, user: "anna")
            try await registry.project([
                change(app, content: .device(device)), change(app, content: .badge(7)),
                change(app, content: .subscription(topic, .ignoreMessage)),
            ])
            let expected = RegisteredDevice(id: id, device: device, badge: 7)
            #expect(try await registry.device(id, in: app) == expected)
            #expect(try await registry.device(of: device.token, in: app) == id)
            try await expectDevices(of: Samples.user("anna"), are: [id], in: app, registry)
            #expect(try await registry.subscriptions(of: id, in: app) == [topic: .ignoreMessage])
            let again = try await registry.register(device.token, changes: DeviceChanges(), in: app)
            #expect(again.registered.id == id && !again.isNew && again.registered.badge == 7)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func everySegmentHasItsOwnGuard(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let segments = (0..<3).map { SegmentID(app, number: SegmentNumber(rawValue: $0)) }
            #expect(try await registry.applied(in: segments) == [0, 0, 0])
            #expect(try await registry.applied(in: []) == [])
            func put(_ number: Int) throws -> RegistryChange {
                RegistryChange(
                    app: app, index: DeviceIndex(rawValue: UInt32(number)), .device(try Samples.device(number)))
            }
            try await registry.apply([
                LoggedChange(offset: 5, put(8_192)), LoggedChange(offset: 6, put(1)), LoggedChange(offset: 900, put(2)),
            ])
            #expect(try await registry.applied(in: segments) == [901, 0, 6])
            #expect(try await registry.applied(in: [segments[2], segments[0]]) == [6, 901])
            try await registry.apply([LoggedChange(offset: 7, put(8_193)), LoggedChange(offset: 8, put(3))])
            #expect(try await registry.applied(in: segments) == [901, 0, 8])
            #expect(try await registry.size(of: .everyone, in: app) == 4)
        }
    }

    /// Goal: a redelivered batch changes nothing. Method: its changes would be visible if they were applied again.
    @Test(arguments: StoreKind.allCases)
    func whatWasAppliedIsPassedOver(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let device = try Samples.device(number, user: "anna")
            let batch = [
                change(app, content: .device(device)), change(app, content: .subscription(topic, [])),
                change(app, content: .badge(1)),
            ]
            try await registry.project(batch, from: 10)
            _ = try await registry.change(id, changes: DeviceChanges(language: "de", badge: 50), in: app)
            _ = try await registry.unsubscribe(id, from: topic, in: app)
            let expected = try await registry.device(id, in: app)
            try await registry.project(batch, from: 10)
            try await registry.project([change(app, content: .device(nil))], from: 3)
            #expect(try await registry.device(id, in: app) == expected)
            #expect(try await registry.subscriptions(of: id, in: app) == [:])
            // Part of the batch is old: only the rest is applied.
            try await registry.project(
                [change(app, content: .badge(2)), change(app, content: .subscription(topic, []))], from: 12)
            #expect(try await registry.device(id, in: app) == expected)
            #expect(try await registry.subscriptions(of: id, in: app) == [topic: []])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theLastChangeHolds(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            var device = try Samples.device(number, user: "anna")
            let first = device
            device.aliases = [.externalUser: "bert", .hardware: "h"]
            let other = try TopicName("other")
            try await registry.project([
                change(app, content: .subscription(topic, [])), change(app, content: .device(first)),
                change(app, content: .badge(1)),
                change(app, content: .subscription(other, [])), change(app, content: .subscription(topic, nil)),
                change(app, content: .device(device)), change(app, content: .badge(2)),
                change(app, content: .subscription(other, .ignoreMessage)),
            ])
            #expect(try await registry.device(id, in: app) == RegisteredDevice(id: id, device: device, badge: 2))
            #expect(try await registry.subscriptions(of: id, in: app) == [other: .ignoreMessage])
            try await expectDevices(of: Samples.user("anna"), are: [], in: app, registry)
            try await expectDevices(of: Samples.user("bert"), are: [id], in: app, registry)
            try await registry.project([change(app, content: .badge(nil))], from: 8)
            #expect(try await registry.device(id, in: app) == RegisteredDevice(id: id, device: device, badge: nil))
        }
    }

    /// Goal: in a compacted log a subscription may come before its device; it matches nothing until the device exists.
    @Test(arguments: StoreKind.allCases)
    func subscriptionsMayComeBeforeTheirDevice(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            try await registry.project([
                change(app, content: .subscription(topic, [])), change(app, content: .badge(3)),
            ])
            #expect(try await registry.device(id, in: app) == nil)
            #expect(try await registry.subscriptions(of: id, in: app) == nil)
            for audience in [Audience.everyone, .topic(topic)] {
                #expect(try await registry.size(of: audience, in: app) == 0)
                #expect(try await fixture.members(of: audience, registry).members.isEmpty)
            }
            let device = try Samples.device(number)
            try await registry.project([change(app, content: .device(device))], from: 2)
            #expect(try await registry.device(id, in: app) == RegisteredDevice(id: id, device: device, badge: 3))
            #expect(try await registry.subscriptions(of: id, in: app) == [topic: []])
            #expect(try await fixture.members(of: .topic(topic), registry).members == [id])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aProjectedRemovalTakesEverything(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let device = try Samples.device(number, user: "anna")
            try await registry.project([
                change(app, content: .device(device)), change(app, content: .subscription(topic, [])),
                change(app, content: .badge(3)),
                change(app, content: .device(nil)),
            ])
            try await expectUnknown(id, in: app, registry: registry)
            #expect(try await registry.size(of: .topic(topic), in: app) == 0)
            #expect(try await registry.device(of: device.token, in: app) == nil)
            try await expectDevices(of: Samples.user("anna"), are: [], in: app, registry)
            // Its index is not allocated to another device.
            let back = try await registry.register(device.token, changes: DeviceChanges(), in: app)
            #expect(back.isNew && back.registered.id.index != index && back.registered.badge == nil)
        }
    }

    /// Goal: indices used in the log are not allocated again. Method: register devices in a filled segment.
    @Test(arguments: StoreKind.allCases)
    func newDevicesFindFreePlaces(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let taken = (0..<200).map { UInt32($0 * 20) }
            try await registry.project(
                taken.map {
                    RegistryChange(
                        app: app, index: DeviceIndex(rawValue: $0), .device(try Samples.device(Int($0))))
                })
            var indices = Set(taken)
            for number in 0..<300 {
                let id = try await registry.register(Samples.token(10_000 + number), changes: DeviceChanges(), in: app)
                    .registered.id
                #expect(indices.insert(id.index.rawValue).inserted)
            }
            #expect(try await registry.size(of: .everyone, in: app) == 500)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func committedChangesAreTrueAtOnceAndLeaveTheGuardAlone(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let id = try await registry.register(Samples.token(1), changes: DeviceChanges(), in: app).registered.id
            let badge = RegistryChange(app: app, index: id.index, .badge(9))
            try await registry.commit([badge, RegistryChange(app: app, index: id.index, .subscription(topic, []))])
            #expect(try await registry.device(id, in: app)?.badge == 9)
            #expect(try await registry.size(of: .topic(topic), in: app) == 1)
            #expect(try await registry.applied(in: [SegmentID(app, number: id.index.segment)]) == [0])
        }
    }
}
