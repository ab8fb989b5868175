import RedisClient
import RedisStore
import ServiceKit
import TestSupport
import Testing

/// A shared rate limit on a real Redis with a manual clock.
@Suite struct RateBucketTests {
    private let time = ManualTimeSource()

    private func bucket(_ name: String, redis: RedisClient, burst: Int = 10) -> RateBucket {
        RateBucket(
            RateBucket.Settings(name: name, permitsPerMinute: 600, burst: burst), in: StoreConnection(redis), time: time
        )
    }

    /// Drops the type of the error, which `#expect` does not accept.
    private func take(_ permits: Int, from bucket: RateBucket, limit: Duration) async throws -> RateBucket.Answer {
        try await bucket.take(permits, waitingAtMost: limit)
    }

    private func open() async throws -> (RedisServer, RedisClient) {
        let server = try await RedisServer(.forStores)
        return (server, try RegistryFixture.client(server.url))
    }

    private func close(_ server: RedisServer, redis: RedisClient) async {
        await redis.close()
        await server.stop()
    }

    @Test func twoSharersGetWhatOneMay() async throws {
        let (server, redis) = try await open()
        let (first, second) = (bucket("p", redis: redis), bucket("p", redis: redis))
        #expect(try await take(6, from: first, limit: .zero) == .granted(after: .zero))
        #expect(try await take(4, from: second, limit: .zero) == .granted(after: .zero))
        #expect(try await take(1, from: first, limit: .zero) == .refused(.milliseconds(100)))
        #expect(try await take(10, from: bucket("q", redis: redis), limit: .zero) == .granted(after: .zero))
        await close(server, redis: redis)
    }

    /// A waiting caller has its permits already: the next caller waits after it.
    @Test func permitsArePromisedInTheOrderOfAsking() async throws {
        let (server, redis) = try await open()
        let bucket = self.bucket("p", redis: redis)
        #expect(try await take(10, from: bucket, limit: .zero) == .granted(after: .zero))
        #expect(try await take(10, from: bucket, limit: .seconds(5)) == .granted(after: .seconds(1)))
        #expect(try await take(10, from: bucket, limit: .seconds(5)) == .granted(after: .seconds(2)))
        #expect(try await take(40, from: bucket, limit: .seconds(5)) == .refused(.seconds(6)))
        #expect(try await take(30, from: bucket, limit: .seconds(5)) == .granted(after: .seconds(5)))
        await close(server, redis: redis)
    }

    /// Otherwise a project would be blocked until the clock reached its old time.
    @Test func aClockThatIsSetBackStopsNoRequests() async throws {
        let (server, redis) = try await open()
        let bucket = self.bucket("p", redis: redis)
        #expect(try await take(10, from: bucket, limit: .zero) == .granted(after: .zero))
        time.setWallClock(to: time.now + .seconds(-3_600))
        #expect(try await take(10, from: bucket, limit: .zero) == .granted(after: .zero))
        #expect(try await take(1, from: bucket, limit: .zero) == .refused(.milliseconds(100)))
        await close(server, redis: redis)
    }

    @Test func itRefillsEvenlyAndNoFurtherThanItHolds() async throws {
        let (server, redis) = try await open()
        let bucket = self.bucket("p", redis: redis)
        #expect(try await take(10, from: bucket, limit: .zero) == .granted(after: .zero))
        time.advance(by: .milliseconds(300))
        #expect(try await take(3, from: bucket, limit: .zero) == .granted(after: .zero))
        #expect(try await take(1, from: bucket, limit: .zero) == .refused(.milliseconds(100)))
        time.advance(by: .seconds(3_600))
        #expect(try await take(10, from: bucket, limit: .zero) == .granted(after: .zero))
        #expect(try await take(1, from: bucket, limit: .zero) == .refused(.milliseconds(100)))
        await close(server, redis: redis)
    }

    /// A request for more than the bucket's size is granted too, with a longer wait.
    @Test func whatIsLargerThanTheBucketWaits() async throws {
        let (server, redis) = try await open()
        let bucket = self.bucket("p", redis: redis, burst: 1)
        #expect(try await take(64, from: bucket, limit: .seconds(10)) == .granted(after: .milliseconds(6_300)))
        await close(server, redis: redis)
    }

    /// Senders drain the bus, so a full Redis must not stop them; an idle bucket leaves no key.
    @Test func itWorksInAFullRedisAndVanishes() async throws {
        let (server, redis) = try await open()
        _ = try await redis.send(RedisCommand("SET", "ballast", "x"))
        _ = try await redis.send(RedisCommand("CONFIG", "SET", "maxmemory", "1"))
        #expect(try await take(10, from: bucket("p", redis: redis), limit: .zero) == .granted(after: .zero))
        let life = try await redis.send(RedisCommand("PTTL", "rate:p"))
        guard case .integer(let milliseconds) = life else {
            Issue.record("PTTL did not return a number")
            return
        }
        #expect(1...61_000 ~= milliseconds)
        await close(server, redis: redis)
    }
}
