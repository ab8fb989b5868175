import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of idempotency keys.
@Suite(.timeLimit(.minutes(2))) struct IdempotencyStoreTests {
    private static let lease = Duration.seconds(10)
    private static let first = request(holder: .max)
    private static let second = request(holder: 2)

    private static func request(holder: UInt64, key: UInt8 = 0, fingerprint: UInt8 = 0) -> IdempotentRequest {
        IdempotentRequest(key: [key, 13, 10, 255], fingerprint: [fingerprint, 0], holder: holder)
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func theFirstGoesOnAndOthersWait(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, time) async throws in
            #expect(try await store.begin(Self.first, for: Self.lease) == .begun(time.now))
            #expect(try await store.begin(Self.second, for: Self.lease) == .inProgress)
            // The reply may have been lost.
            #expect(try await store.begin(Self.first, for: Self.lease) == .begun(time.now))
            let other = Self.request(holder: 2, key: 1)
            #expect(try await store.begin(other, for: Self.lease) == .begun(time.now))
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func theFirstAnswerIsGivenAgain(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, _) async throws in
            _ = try await store.begin(Self.first, for: Self.lease)
            try await store.finish(Self.first, answer: [1, 0, 255])
            try await store.finish(Self.second, answer: [2])
            #expect(try await store.begin(Self.second, for: Self.lease) == .answered([1, 0, 255]))
            #expect(try await store.begin(Self.first, for: Self.lease) == .answered([1, 0, 255]))
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func anotherRequestIsToldSo(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, _) async throws in
            let other = Self.request(holder: 2, fingerprint: 1)
            _ = try await store.begin(Self.first, for: Self.lease)
            #expect(try await store.begin(other, for: Self.lease) == .otherRequest)
            try await store.finish(other, answer: [2])
            try await store.finish(Self.first, answer: [1])
            #expect(try await store.begin(other, for: Self.lease) == .otherRequest)
            #expect(try await store.begin(Self.second, for: Self.lease) == .answered([1]))
        }
    }

    /// Goal: a killed process blocks others no longer than its lease, and its successor counts from the same time.
    /// Method: the first process never returns.
    @Test(arguments: TaskStoreDriver.allCases)
    func whoDiedIsFollowed(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, time) async throws in
            let began = time.now
            _ = try await store.begin(Self.first, for: Self.lease)
            time.advance(by: Self.lease - .milliseconds(1))
            #expect(try await store.begin(Self.second, for: Self.lease) == .inProgress)
            time.advance(by: .milliseconds(1))
            #expect(try await store.begin(Self.second, for: Self.lease) == .begun(began))
            #expect(try await store.begin(Self.first, for: Self.lease) == .inProgress)
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func whatCameToNothingIsBegunAnew(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, time) async throws in
            let began = time.now
            _ = try await store.begin(Self.first, for: Self.lease)
            try await store.release(Self.second)
            #expect(try await store.begin(Self.second, for: Self.lease) == .inProgress)
            time.advance(by: .seconds(1))
            try await store.release(Self.first)
            #expect(try await store.begin(Self.second, for: Self.lease) == .begun(began))
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func theKeyOfARefusedRequestIsFree(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, time) async throws in
            let other = Self.request(holder: 2, fingerprint: 1)
            _ = try await store.begin(Self.first, for: Self.lease)
            try await store.forget(Self.second)
            #expect(try await store.begin(other, for: Self.lease) == .otherRequest)
            try await store.forget(Self.first)
            time.advance(by: .seconds(1))
            #expect(try await store.begin(other, for: Self.lease) == .begun(time.now))
            try await store.finish(other, answer: [1])
            try await store.forget(other)
            #expect(try await store.begin(other, for: Self.lease) == .answered([1]))
        }
    }

    /// The first holder may have carried out the request: its repeat counts from the same time.
    @Test(arguments: TaskStoreDriver.allCases)
    func aRequestThatWasBegunBeforeIsNotForgotten(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, time) async throws in
            let began = time.now
            _ = try await store.begin(Self.first, for: Self.lease)
            try await store.release(Self.first)
            _ = try await store.begin(Self.second, for: Self.lease)
            try await store.forget(Self.second)
            time.advance(by: .seconds(1))
            let other = Self.request(holder: 3, fingerprint: 1)
            #expect(try await store.begin(other, for: Self.lease) == .otherRequest)
            #expect(try await store.begin(Self.request(holder: 3), for: Self.lease) == .begun(began))
        }
    }

    @Test(arguments: TaskStoreDriver.allCases)
    func aKeyIsForgottenAfterADay(_ driver: TaskStoreDriver) async throws {
        try await driver.withIdempotencyStore { (store, time) async throws in
            _ = try await store.begin(Self.first, for: Self.lease)
            try await store.finish(Self.first, answer: [1])
            time.advance(by: IdempotencyBounds.retention - .milliseconds(1))
            #expect(try await store.begin(Self.second, for: Self.lease) == .answered([1]))
            time.advance(by: .milliseconds(1))
            let other = Self.request(holder: 2, fingerprint: 1)
            #expect(try await store.begin(other, for: Self.lease) == .begun(time.now))
        }
    }
}
