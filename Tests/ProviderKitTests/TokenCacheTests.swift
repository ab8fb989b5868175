import ProviderKit
import ServiceKit
import TestSupport
import Testing

@Suite struct TokenCacheTests {
    private let time = ManualTimeSource()
    private let issuer = Issuer()

    @Test func aThousandAskersShareOneRefresh() async throws {
        let cache = makeCache()
        let asking = (0..<1_000).map { _ in Task { try await cache.token() } }
        #expect(await issuer.hasBeenAsked(1))
        issuer.answer(.success("a"))
        for task in asking { #expect(try await task.value.value.reveal() == "a") }
        #expect(issuer.asked == 1)
    }

    @Test func renewalDelaysNoRequest() async throws {
        let cache = makeCache()
        issuer.answer(.success("a"))
        _ = try await cache.token()
        time.advance(by: .seconds(51 * 60))
        #expect(try await cache.token().value.reveal() == "a")
        #expect(await issuer.hasBeenAsked(2))
        #expect(try await cache.token().value.reveal() == "a")
        issuer.answer(.success("b"))
        #expect(await comes("b", from: cache))
        #expect(issuer.asked == 2)
    }

    @Test func aFailureReachesAllWhoWaitAndIsNotRepeatedAtOnce() async throws {
        let cache = makeCache()
        let outage = TokenError(.unavailable, message: "no answer")
        let asking = (0..<10).map { _ in Task { try await cache.token() } }
        #expect(await issuer.hasBeenAsked(1))
        issuer.answer(.failure(outage))
        for task in asking { await #expect(throws: outage) { try await task.value } }
        for _ in 0..<10 { await #expect(throws: outage) { try await cache.token() } }
        #expect(issuer.asked == 1)
        time.advance(by: .seconds(1))
        issuer.answer(.success("a"))
        #expect(try await cache.token().value.reveal() == "a")
    }

    @Test func aRefusedTokenIsReplacedForAll() async throws {
        let cache = makeCache()
        issuer.answer(.success("a"))
        let first = try await cache.token()
        #expect(cache.refuse(first) == .tooYoung)
        time.advance(by: .seconds(21 * 60))
        #expect(cache.refuse(first) == .replacing)
        issuer.answer(.success("b"))
        let tokens = try await withThrowingTaskGroup(of: BearerToken.self) { tasks in
            for _ in 0..<100 { tasks.addTask { try await cache.token() } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens.allSatisfy { $0.value.reveal() == "b" })
        #expect(issuer.asked == 2)
        #expect(cache.refuse(first) == .replaced)
    }

    @Test func anIssuerThatHangsIsGivenUp() async throws {
        let cache = makeCache()
        let asking = Task { try await cache.token() }
        #expect(await issuer.hasBeenAsked(1))
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(30))
        let error = await #expect(throws: TokenError.self) { try await asking.value }
        #expect(error?.code == .unavailable)
        // The issuer's late answer must not block the next attempt.
        issuer.answer(.success("late"))
        time.advance(by: .seconds(1))
        issuer.answer(.success("b"))
        #expect(try await cache.token().value.reveal() == "b")
    }

    @Test func theOneWhoCausedTheRefreshMayLeave() async throws {
        let cache = makeCache()
        let leaving = Task { try await cache.token() }
        #expect(await issuer.hasBeenAsked(1))
        let staying = Task { try await cache.token() }
        leaving.cancel()
        let error = await #expect(throws: TokenError.self) { try await leaving.value }
        #expect(error?.code == .cancelled)
        issuer.answer(.success("a"))
        #expect(try await staying.value.value.reveal() == "a")
        #expect(issuer.asked == 1)
    }

    @Test func aTokenDoesNotPrintItself() async throws {
        let cache = makeCache()
        issuer.answer(.success("hush"))
        let token = try await cache.token()
        var text = "\(token)"
        dump(token, to: &text)
        dump(cache, to: &text)
        #expect(!text.contains("hush"))
    }

    private func makeCache() -> TokenCache {
        TokenCache(time: time, random: SeededRandomSource(seed: 1)) { [issuer] () async throws(TokenError) in
            try await issuer.issue()
        }
    }

    /// A renewal ends in a separate task, so this polls until its token is there.
    private func comes(_ value: String, from cache: TokenCache) async -> Bool {
        for _ in 0..<1_000_000 {
            if (try? await cache.token().value.reveal()) == value { return true }
            await Task.yield()
        }
        return false
    }
}

/// Issues tokens on demand: each request takes the next answer, whether set before or after it.
private final class Issuer: Sendable {
    private struct State {
        var asked = 0
        var answers: [Result<String, TokenError>] = []
    }

    private let state = Monitor(State())

    var asked: Int { state.withLock { $0.asked } }

    func answer(_ answer: Result<String, TokenError>) {
        state.change { $0.answers.append(answer) }
    }

    func hasBeenAsked(_ count: Int) async -> Bool {
        await blocking { [state] in state.wait(timeout: .hangLimit) { $0.asked >= count ? true : nil } ?? false }
    }

    func issue() async throws(TokenError) -> IssuedToken {
        let number = state.change { state in
            state.asked += 1
            return state.asked
        }
        let answer = await blocking { [state] in
            state.wait(timeout: .hangLimit) { $0.answers.count >= number ? $0.answers[number - 1] : nil }
        }
        guard let answer else { throw TokenError(.unavailable, message: "the test gave no answer") }
        return IssuedToken(Secret(try answer.get()), window: .apns())
    }
}
