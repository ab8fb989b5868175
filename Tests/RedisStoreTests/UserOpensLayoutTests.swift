import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The layout of what opens teach in Redis, which decides the memory that users take.
@Suite(.timeLimit(.minutes(5))) struct UserOpensLayoutTests {
    private static let users = 100_000
    private static let atOnce = 64
    private static let zones = ["Europe/Berlin", "America/New_York", "America/Argentina/Buenos_Aires", "Asia/Tokyo"]

    /// Goal: a user who opens pushes takes at most 96 bytes, with the names of keys. Method: 100,000 users with six to
    /// ten opens at three to six hours.
    @Test func aUserTakesAtMost96Bytes() async throws {
        let fixture = try await RegistryFixture()
        let opens = RedisUserOpens(StoreConnection(fixture.redis))
        let app = try AppID("news")
        // Once, so that the server has the script.
        #expect(try await write(0, of: app, to: opens))
        let before = try await memory(fixture)
        let written = try await Array(1...Self.users).concurrentMap(atOnce: Self.atOnce) {
            try await write($0, of: app, to: opens)
        }
        #expect(!written.contains(false))
        let bytes = Double(try await memory(fixture) - before) / Double(Self.users)
        #expect((40...96).contains(bytes), "\(bytes) bytes for each user")
        let seven = try user(7, of: app)
        #expect(try await opens.record(of: seven) == record(7))
        let key = try #require(try await fixture.command("KEYS", "opens:*").array?.first?.string)
        #expect(try await fixture.command("OBJECT", "ENCODING", key).string == "listpack")
    }

    @Test func aFullServerSaysSo() async throws {
        let fixture = try await RegistryFixture()
        let opens = RedisUserOpens(StoreConnection(fixture.redis))
        let app = try AppID("news")
        // Once with room, so that the server has the script.
        #expect(try await write(0, of: app, to: opens))
        _ = try await fixture.command("CONFIG", "SET", "maxmemory", "1")
        do {
            _ = try await write(1, of: app, to: opens)
            Issue.record("the opens were kept")
        } catch let error as StoreError {
            #expect(error.code == .full)
        }
    }

    /// What another version wrote counts as none.
    @Test func anUnreadableRecordIsReplaced() async throws {
        let fixture = try await RegistryFixture()
        let opens = RedisUserOpens(StoreConnection(fixture.redis))
        let app = try AppID("news")
        let ada = try user(1, of: app)
        #expect(try await write(1, of: app, to: opens))
        let key = try #require(try await fixture.command("KEYS", "opens:*").array?.first?.string)
        let fields = try await fixture.redis.send(RedisCommand("HKEYS", RedisArgument(key))).array
        let field = try #require(fields?.first?.bytes)
        _ = try await fixture.redis.send(RedisCommand("HSET", RedisArgument(key), RedisArgument(field), "\u{7F}x"))
        #expect(try await opens.record(of: ada) == nil)
        #expect(try await write(1, of: app, to: opens))
        #expect(try await opens.record(of: ada) == record(1))
    }

    private func user(_ number: Int, of app: AppID) throws -> UserKey {
        UserKey(try Samples.user("user-\(number)@example.com"), of: app)
    }

    private func record(_ number: Int) -> OpenRecord {
        let (hours, zone) = (3 + number % 4, Self.zones[number % Self.zones.count])
        var record = OpenRecord(zone: zone)
        for open in 0..<6 + number % 5 {
            record.noteOpen(of: CampaignDigest(of: "daily"), hour: UInt8(7 + open % hours), in: zone)
        }
        return record
    }

    private func write(_ number: Int, of app: AppID, to opens: RedisUserOpens) async throws -> Bool {
        let next = record(number)
        return try await opens.update(try user(number, of: app)) { $0 = next }
    }

    private func memory(_ fixture: RegistryFixture) async throws -> Int {
        let lines = try #require(try await fixture.command("INFO", "memory").string).split(whereSeparator: \.isNewline)
        let line = try #require(lines.first { $0.hasPrefix("used_memory:") })
        return try #require(Int(line.dropFirst("used_memory:".count)))
    }
}
