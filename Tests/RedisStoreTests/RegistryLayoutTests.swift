import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@Suite struct RegistryLayoutTests {
    /// All hashes stay compact, with the longest tokens and the most subscriptions allowed.
    @Test func hashesStayListpacks() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let topics = Dictionary(
            uniqueKeysWithValues: try (0..<1_000).map { (try TopicName("topic \($0)"), SubscriptionOptions()) })
        for number in 0..<128 {
            let digits = String(number)
            let text = "https://push.example/" + String(repeating: "!", count: 2_000) + digits
            let token = try PushToken(.webpush, text: text)
            let id = try await registry.register(
                token, changes: DeviceChanges(badge: 1, aliases: [.externalUser: "user \(number)"]), in: app
            ).registered.id
            if number < 3 { #expect(try await registry.setSubscriptions(of: id, to: topics, in: app)) }
        }
        let keys = try await fixture.command("KEYS", "*").array?.compactMap(\.string) ?? []
        #expect(keys.contains { $0.hasPrefix("dev:") } && keys.contains { $0.hasPrefix("sub:") })
        for key in keys where key != "registry" {
            let form = try await fixture.command("OBJECT", "ENCODING", key).string
            #expect(form == (key.hasPrefix("live:") ? "raw" : "listpack"), "\(key)")
        }
    }

    @Test func aMemberListBecomesABitmapAndAListAgain() async throws {
        let fixture = try await RegistryFixture()
        let registry = try await fixture.registry()
        let app = try AppID("app")
        let news = try TopicName("news")
        let segment = SegmentID(app, number: SegmentNumber(rawValue: 0))
        func size() async throws -> Int? {
            try await fixture.command("HGET", "top:{\(segment)}:1", "1").bytes?.count
        }
        func changes(_ range: Range<UInt32>, options: SubscriptionOptions?) -> [LoggedChange] {
            range.map { index in
                let offset = Int64(options == nil ? 10_000 : 0) + Int64(index)
                return LoggedChange(
                    offset: offset,
                    RegistryChange(app: app, index: DeviceIndex(rawValue: index), .subscription(news, options)))
            }
        }
        try await registry.apply(changes(0..<255, options: []))
        #expect(try await size() == 510)
        try await registry.apply(changes(255..<300, options: []))
        #expect(try await size() == 512)
        try await registry.apply(changes(0..<172, options: nil))
        #expect(try await size() == 512)
        try await registry.apply(changes(172..<173, options: nil))
        #expect(try await size() == 254)
        let members = try await fixture.command("HGET", "top:{\(segment)}:1", "1").bytes ?? []
        #expect(RegistryInvariants.offsets(members) == Array(173..<300))
        try await registry.apply(changes(173..<300, options: nil))
        #expect(try await size() == nil)
    }

    @Test func settingsThatCostMemoryAreNamed() async throws {
        let sink = CollectingSink()
        let server = try await RedisServer()
        let client = try RegistryFixture.client(server.url)
        let log = Log(service: "test", level: .warning, sink: sink)
        _ = try await RedisRegistry.open(StoreConnection(client), mode: .authoritative, log: log)
        #expect(sink.lines.contains { $0.contains("hash-max-listpack-entries 1024, hash-max-listpack-value 4096") })
        await client.close()
    }

    @Test(arguments: [RedisRegistry.Mode.authoritative, .follower])
    func settingsThatLoseDevicesAreNamed(mode: RedisRegistry.Mode) async throws {
        let fixture = try await RegistryFixture()
        _ = try await fixture.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        _ = try await fixture.command("CONFIG", "SET", "appendfsync", "everysec")
        let sink = CollectingSink()
        let log = Log(service: "test", level: .warning, sink: sink)
        _ = try await RedisRegistry.open(StoreConnection(fixture.redis), mode: mode, log: log)
        let line = try #require(sink.lines.first { $0.contains("maxmemory-policy noeviction") })
        // A follower can be filled again from the log.
        #expect(line.contains("appendfsync always") == (mode == .authoritative))
    }
}
