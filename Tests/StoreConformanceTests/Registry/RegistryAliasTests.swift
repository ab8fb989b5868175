import PushModel
import Store
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegistryAliasTests {
    @Test(arguments: StoreKind.allCases)
    func severalDevicesCarryOneAliasAndOneDeviceSeveral(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            var ids: [DeviceID] = []
            for number in 0..<5 {
                let changes = DeviceChanges(aliases: [.externalUser: "anna", .hardware: "h\(number / 2)"])
                ids.append(try await registry.register(Samples.token(number), changes: changes, in: app).registered.id)
            }
            try await expectDevices(of: Samples.user("anna"), are: ids, in: app, registry)
            try await expectDevices(of: Alias(.hardware, value: "h0"), are: Array(ids[0...1]), in: app, registry)
            try await expectDevices(of: Alias(.hardware, value: "h2"), are: [ids[4]], in: app, registry)
            try await expectDevices(of: Alias(.hardware, value: "anna"), are: [], in: app, registry)
            try await expectDevices(of: Samples.user("nobody"), are: [], in: app, registry)
            try await expectDevices(of: Samples.user("anna"), are: [], in: AppID("another"), registry)
        }
    }

    @Test(arguments: StoreKind.allCases, Alias.Kind.allCases)
    func everyKindFindsItsDevice(kind: StoreKind, aliasKind: Alias.Kind) async throws {
        try await kind.withRegistry { registry, fixture in
            let changes = DeviceChanges(aliases: [aliasKind: "x"])
            let id = try await registry.register(Samples.token(1), changes: changes, in: fixture.app).registered.id
            for other in Alias.Kind.allCases {
                let expected = other == aliasKind ? [id] : []
                try await expectDevices(of: Alias(other, value: "x"), are: expected, in: fixture.app, registry)
            }
        }
    }

    /// Goal: a phone with a new user is found under the new user only. Method: by registration and by a change.
    @Test(arguments: StoreKind.allCases)
    func aDeviceMovesToAnotherAlias(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let id = try await registry.register(
                Samples.token(1), changes: DeviceChanges(aliases: [.externalUser: "anna", .hardware: "h"]), in: app
            ).registered.id
            _ = try await registry.change(id, changes: DeviceChanges(aliases: [.externalUser: "bert"]), in: app)
            try await expectDevices(of: Samples.user("anna"), are: [], in: app, registry)
            try await expectDevices(of: Samples.user("bert"), are: [id], in: app, registry)
            _ = try await registry.register(
                Samples.token(1), changes: DeviceChanges(aliases: [.externalUser: "carl"]), in: app)
            try await expectDevices(of: Samples.user("bert"), are: [], in: app, registry)
            try await expectDevices(of: Samples.user("carl"), are: [id], in: app, registry)
            try await expectDevices(of: Alias(.hardware, value: "h"), are: [id], in: app, registry)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anAliasMovesFromOneDeviceToAnother(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let old = try await registry.register(
                Samples.token(1), changes: DeviceChanges(aliases: [.externalUser: "anna"]), in: app
            ).registered.id
            let new = try await registry.register(Samples.token(2), changes: DeviceChanges(), in: app).registered.id
            _ = try await registry.change(new, changes: DeviceChanges(aliases: [.externalUser: "anna"]), in: app)
            _ = try await registry.change(old, changes: DeviceChanges(aliases: [.externalUser: ""]), in: app)
            try await expectDevices(of: Samples.user("anna"), are: [new], in: app, registry)
            #expect(try await registry.device(old, in: app)?.device.aliases == [:])
            _ = try await registry.remove(new, in: app)
            try await expectDevices(of: Samples.user("anna"), are: [], in: app, registry)
        }
    }

    /// Goal: aliases are compared as bytes. Method: two encodings of one accented letter, which `String` considers
    /// equal, and one device that changes from one to the other.
    @Test(arguments: StoreKind.allCases)
    func spellingsAreDifferentAliases(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let (composed, decomposed) = (try Samples.user("zo\u{EB}"), try Samples.user("zoe\u{308}"))
            let first = try await registry.register(
                Samples.token(1), changes: DeviceChanges(aliases: [.externalUser: composed.value]), in: app
            ).registered.id
            let second = try await registry.register(
                Samples.token(2), changes: DeviceChanges(aliases: [.externalUser: decomposed.value]), in: app
            ).registered.id
            try await expectDevices(of: composed, are: [first], in: app, registry)
            try await expectDevices(of: decomposed, are: [second], in: app, registry)
            _ = try await registry.change(
                first, changes: DeviceChanges(aliases: [.externalUser: decomposed.value]), in: app)
            try await expectDevices(of: composed, are: [], in: app, registry)
            try await expectDevices(of: decomposed, are: [first, second], in: app, registry)
            let value = try await registry.device(first, in: app)?.device.aliases[.externalUser]
            #expect(value.map { Array($0.utf8) } == Array(decomposed.value.utf8))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aliasesMayBeAnyText(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let values = [
                "0", " ", "{a}", "*", "a:b", "\"\\", "用户-7", "\u{1F514}", String(repeating: "x", count: 256),
                String(repeating: "é", count: 128),
            ]
            for (number, value) in values.enumerated() {
                let changes = DeviceChanges(aliases: [.externalUser: value])
                let id = try await registry.register(Samples.token(number), changes: changes, in: fixture.app)
                    .registered.id
                try await expectDevices(of: Samples.user(value), are: [id], in: fixture.app, registry)
                #expect(try await registry.device(id, in: fixture.app)?.device.aliases == [.externalUser: value])
            }
        }
    }

    /// Goal: an alias cannot grow without bound; a rejected device is unchanged, and a removed one makes room.
    @Test(arguments: StoreKind.allCases)
    func oneAliasNamesSoManyDevicesAndNoMore(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            let crowd = DeviceChanges(aliases: [.externalUser: "crowd"])
            var ids: [DeviceID] = []
            for number in 0..<RegistryBounds.devicesOfAliasMaximum {
                ids.append(try await registry.register(Samples.token(number), changes: crowd, in: app).registered.id)
            }
            try await expectDevices(of: Samples.user("crowd"), are: ids, in: app, registry)
            await expectError(.tooMany) {
                _ = try await registry.register(Samples.token(1_000), changes: crowd, in: app)
            }
            #expect(try await registry.device(of: Samples.token(1_000), in: app) == nil)
            let late = try await registry.register(
                Samples.token(1_001), changes: DeviceChanges(language: "de"), in: app)
            await expectError(.tooMany) { _ = try await registry.change(late.registered.id, changes: crowd, in: app) }
            #expect(try await registry.device(late.registered.id, in: app) == late.registered)
            try await expectDevices(of: Samples.user("crowd"), are: ids, in: app, registry)

            #expect(try await registry.change(ids[7], changes: crowd, in: app))
            #expect(try await registry.change(ids[3], changes: DeviceChanges(aliases: [.externalUser: ""]), in: app))
            #expect(try await registry.change(late.registered.id, changes: crowd, in: app))
            #expect(try await registry.remove(ids[4], in: app))
            let last = try await registry.register(Samples.token(1_000), changes: crowd, in: app)
            #expect(last.isNew)
            let expected = ids[...2] + ids[5...] + [late.registered.id, last.registered.id]
            try await expectDevices(of: Samples.user("crowd"), are: Array(expected), in: app, registry)
        }
    }
}

/// Expects exactly these devices, without duplicates, in any order.
func expectDevices(
    of alias: Alias, are expected: [DeviceID], in app: AppID, _ registry: any TestedRegistry,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let found = try await registry.devices(of: alias, in: app)
    #expect(
        found.sorted { $0.index < $1.index } == expected.sorted { $0.index < $1.index },
        sourceLocation: sourceLocation)
}

func expectError(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("expected \(code), but the call succeeded", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StoreError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
