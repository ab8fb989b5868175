import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of idempotency keys.
@Suite(.timeLimit(.minutes(5))) struct IdempotencyStoreTests {
    private static let lease = Duration.seconds(10)
    private let caller = Array(SystemRandomSource().hexadecimal().utf8)
    private var first: IdempotentRequest { request(holder: .max) }
    private var second: IdempotentRequest { request(holder: 2) }

    private func request(holder: UInt64, key: UInt8 = 0, fingerprint: UInt8 = 0) -> IdempotentRequest {
        IdempotentRequest(key: [key, 13, 10, 255] + caller, fingerprint: [fingerprint, 0], holder: holder)
    }

    /// By one clock of store and caller.
    private func begun(_ time: Timestamp) -> IdempotencyVerdict { .begun(RequestStart(began: time, accepted: time)) }

    @Test(arguments: StoreKind.allCases)
    func theFirstGoesOnAndOthersWait(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            #expect(try await store.begin(first, at: time.now, for: Self.lease) == begun(time.now))
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .inProgress)
            // The reply may have been lost.
            #expect(try await store.begin(first, at: time.now, for: Self.lease) == begun(time.now))
            let other = request(holder: 2, key: 1)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == begun(time.now))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theFirstAnswerIsGivenAgain(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            try await store.finish(first, answer: [1, 0, 255], until: nil)
            try await store.finish(second, answer: [2], until: nil)
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .answered([1, 0, 255]))
            #expect(try await store.begin(first, at: time.now, for: Self.lease) == .answered([1, 0, 255]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anotherRequestIsReported(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            let other = request(holder: 2, fingerprint: 1)
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == .otherRequest)
            try await store.finish(other, answer: [2], until: nil)
            try await store.finish(first, answer: [1], until: nil)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == .otherRequest)
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .answered([1]))
        }
    }

    /// Goal: a killed process blocks others no longer than its lease, and its successor counts from the same time.
    /// Method: the first process never returns.
    @Test(arguments: StoreKind.allCases)
    func whoDiedIsFollowed(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            let began = time.now
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            time.advance(by: Self.lease - .milliseconds(1))
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .inProgress)
            time.advance(by: .milliseconds(1))
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == begun(began))
            #expect(try await store.begin(first, at: time.now, for: Self.lease) == .inProgress)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatCameToNothingIsBegunAnew(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            let began = time.now
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            try await store.release(second)
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .inProgress)
            time.advance(by: .seconds(1))
            try await store.release(first)
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == begun(began))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theKeyOfARefusedRequestIsFree(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            let other = request(holder: 2, fingerprint: 1)
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            try await store.forget(second)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == .otherRequest)
            try await store.forget(first)
            time.advance(by: .seconds(1))
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == begun(time.now))
            try await store.finish(other, answer: [1], until: nil)
            try await store.forget(other)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == .answered([1]))
        }
    }

    /// The first holder may have carried out the request: its repeat counts from the same time.
    @Test(arguments: StoreKind.allCases)
    func aRequestThatWasBegunBeforeIsNotForgotten(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            let began = time.now
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            try await store.release(first)
            _ = try await store.begin(second, at: time.now, for: Self.lease)
            try await store.forget(second)
            time.advance(by: .seconds(1))
            let other = request(holder: 3, fingerprint: 1)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == .otherRequest)
            #expect(try await store.begin(request(holder: 3), at: time.now, for: Self.lease) == begun(began))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aKeyIsForgottenAfterADay(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            try await store.finish(first, answer: [1], until: nil)
            time.advance(by: IdempotencyBounds.retention - .milliseconds(1))
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .answered([1]))
            time.advance(by: .milliseconds(1))
            let other = request(holder: 2, fingerprint: 1)
            #expect(try await store.begin(other, at: time.now, for: Self.lease) == begun(time.now))
        }
    }

    /// Goal: leases follow the store's clock, and a request that is taken over keeps the time of its first caller.
    @Test(arguments: StoreKind.allCases)
    func aCallerWithAWrongClock(_ kind: StoreKind) async throws {
        try await kind.withIdempotencyStore { (store, time) async throws in
            let start = RequestStart(began: time.now, accepted: time.now + .seconds(114))
            #expect(try await store.begin(first, at: start.accepted, for: Self.lease) == .begun(start))
            #expect(try await store.begin(second, at: start.accepted + Self.lease, for: Self.lease) == .inProgress)
            time.advance(by: Self.lease)
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .begun(start))
        }
    }

    /// Goal: the request of a task that is scheduled for later is answered again until a day after its time, and not
    /// longer.
    @Test(arguments: StoreKind.allCases)
    func anAnswerMayBeKeptForLonger(_ kind: StoreKind) async throws {
        // Redis expires keys by its own clock.
        try await kind.withIdempotencyStore(time: ManualTimeSource(now: SystemTimeSource().now)) {
            (store, time) async throws in
            _ = try await store.begin(first, at: time.now, for: Self.lease)
            let end = time.now + IdempotencyBounds.retention * 3
            try await store.finish(first, answer: [1], until: end)
            time.advance(by: IdempotencyBounds.retention * 3 - .seconds(1))
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == .answered([1]))
            time.advance(by: .seconds(1))
            #expect(try await store.begin(second, at: time.now, for: Self.lease) == begun(time.now))
        }
    }
}
