import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// `limits.devices`, with a count of each store.
@Suite(.timeLimit(.minutes(5))) struct DeviceLimitTests {
    private func register(
        _ number: Int, by limits: DeviceLimits, maximum: Int?, in app: AppID
    ) async throws -> Registration? {
        try await limits.register(
            Samples.token(number), changes: DeviceChanges(language: "de"), in: app, devicesMaximum: maximum)
    }

    /// Runs the body with limits whose changes are written directly, and once more through a log.
    private func withLimits(
        _ kind: StoreKind, body: (DeviceLimits, any TestedRegistry, RegistryFixture) async throws -> Void
    ) async throws {
        try await kind.withRegistry { registry, fixture in
            try await body(DeviceLimits(registry, time: fixture.time), registry, fixture)
        }
        try await kind.withRegistry(.own) { registry, fixture in
            let client = try await fixture.client(journal: TestLog(projection: registry))
            try await body(DeviceLimits(client, time: fixture.time), client, fixture)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func newDevicesEndAtTheLimitAndKnownOnesGoOn(kind: StoreKind) async throws {
        try await withLimits(kind) { limits, registry, fixture in
            let app = fixture.app
            var ids: [DeviceID] = []
            for number in 0..<3 {
                let registration = try await register(number, by: limits, maximum: 3, in: app)
                ids.append(try #require(registration?.registered.id))
            }
            #expect(try await register(3, by: limits, maximum: 3, in: app) == nil)
            #expect(try await registry.device(of: Samples.token(3), in: app) == nil, "it leaves nothing behind")
            #expect(try await registry.deviceCount(in: app) == 3)
            for number in 0..<3 {
                let again = try await register(number, by: limits, maximum: 1, in: app)
                #expect(again?.isNew == false && again?.registered.id == ids[number], "known tokens are never refused")
            }
            #expect(try await registry.change(ids[0], changes: DeviceChanges(language: "fr"), in: app))
            #expect(try await registry.remove(ids[1], in: app))
            #expect(try await register(3, by: limits, maximum: 3, in: app)?.isNew == true, "a removal makes room")
            #expect(try await register(1, by: limits, maximum: 3, in: app) == nil, "a removed device is a new one")
            #expect(try await register(1, by: limits, maximum: 4, in: app)?.isNew == true)
            #expect(try await register(5, by: limits, maximum: nil, in: app)?.isNew == true)
            #expect(try await registry.deviceCount(in: app) == 5)
            #expect(try await registry.deviceCount(in: AppID("another")) == 0)
        }
    }

    /// Goal: several processes share one limit, also after a restart. Method: clients without common state.
    @Test(arguments: StoreKind.allCases)
    func everyProcessCountsTheDevicesOfAll(kind: StoreKind) async throws {
        try await kind.withRegistry { registry, fixture in
            let first = DeviceLimits(registry, time: fixture.time)
            let second = DeviceLimits(try await fixture.client(), time: fixture.time)
            for number in 0..<10 {
                let limits = number % 2 == 0 ? first : second
                #expect(try await register(number, by: limits, maximum: 10, in: fixture.app) != nil)
            }
            let restarted = DeviceLimits(try await fixture.client(), time: fixture.time)
            for limits in [first, second, restarted] {
                #expect(try await register(10, by: limits, maximum: 10, in: fixture.app) == nil)
            }
            let removed = try #require(try await registry.device(of: Samples.token(0), in: fixture.app))
            #expect(try await registry.remove(removed, in: fixture.app))
            #expect(try await register(10, by: restarted, maximum: 10, in: fixture.app) != nil)
            #expect(try await register(0, by: second, maximum: 10, in: fixture.app) == nil)
        }
    }

    /// Goal: concurrent registrations fill an app exactly. Method: more of them than fit, half of them twice; for two
    /// processes, no more than those in progress in the other one.
    @Test(arguments: StoreKind.allCases, [1, 2])
    func manyAtOnceFillTheAppExactly(kind: StoreKind, processes: Int) async throws {
        try await kind.withRegistry { registry, fixture in
            let app = fixture.app
            var limits = [DeviceLimits(registry, time: fixture.time)]
            if processes == 2 { limits.append(DeviceLimits(try await fixture.client(), time: fixture.time)) }
            let (tokens, all) = (Array(0..<60) + Array(0..<30), limits)
            let answers = try await withThrowingTaskGroup(of: Registration?.self) { group in
                for (position, number) in tokens.enumerated() {
                    group.addTask {
                        try await all[position % all.count].register(
                            Samples.token(number), changes: DeviceChanges(), in: app, devicesMaximum: 20)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let count = try await registry.deviceCount(in: app)
            #expect(answers.count { $0?.isNew == true } == count)
            #expect(processes == 1 ? count == 20 : 20...40 ~= count, "\(count)")
            #expect(try await registry.size(of: .everyone, in: app) == count)
            for limits in limits {
                #expect(try await register(100, by: limits, maximum: 20, in: app) == nil)
            }
        }
    }

    /// Goal: the limit holds after a rebuild, for devices of many segments, removed ones and those applied twice.
    @Test(arguments: StoreKind.unwrapped)
    func aRebuildLeavesTheCountRight(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let app = fixture.app
            let limits = DeviceLimits(registry, time: fixture.time)
            #expect(try await register(900, by: limits, maximum: 1, in: app) != nil)
            let refill = try await registry.beginRebuild()
            await expectError(.notReady) { _ = try await registry.deviceCount(in: app) }
            let changes = try (0..<40).map { number in
                RegistryChange(
                    app: app, index: DeviceIndex(rawValue: UInt32(number * 1_000)), .device(try Samples.device(number)))
            }
            try await refill.project(changes, from: 10)
            try await refill.project(changes, from: 10)
            try await refill.project([RegistryChange(app: app, index: changes[7].index, .device(nil))], from: 100)
            try await refill.finish()
            #expect(try await registry.deviceCount(in: app) == 39)
            #expect(try await register(900, by: limits, maximum: 39, in: app) == nil)
            #expect(try await register(900, by: limits, maximum: 40, in: app)?.isNew == true)
            #expect(try await register(901, by: limits, maximum: 40, in: app) == nil)
            #expect(try await register(8, by: limits, maximum: 40, in: app)?.isNew == false)
        }
    }

    /// Goal: a count that fails refuses nothing for good. Method: the registry becomes ready again.
    @Test(arguments: StoreKind.unwrapped)
    func aStoreThatCannotCountIsNoFullApp(kind: StoreKind) async throws {
        try await kind.withRegistry(.own) { registry, fixture in
            let limits = DeviceLimits(registry, time: fixture.time)
            let refill = try await registry.beginRebuild()
            for _ in 0..<3 {
                await expectError(.notReady) { _ = try await register(1, by: limits, maximum: 1, in: fixture.app) }
            }
            try await refill.finish()
            #expect(try await register(1, by: limits, maximum: 1, in: fixture.app)?.isNew == true)
            #expect(try await register(2, by: limits, maximum: 1, in: fixture.app) == nil)
        }
    }
}
