package import ServiceKit

/// One bearer token shared by all senders with the same credential, renewed in time by one of them.
///
/// A failed refresh is retried with backoff and not by every caller; meanwhile a token that is still valid is used.
package final class TokenCache: Sendable {
    /// Consequence of a provider's refusal of a token.
    package enum Refusal: Sendable, Equatable {
        /// Another token has already replaced it: send again with that one.
        case replaced
        /// It will not be used again: request the next one.
        case replacing
        /// It is so new that another one would be refused as well: the credential is wrong.
        case tooYoung
    }

    package typealias Fetch = @Sendable () async throws(TokenError) -> IssuedToken
    private typealias Waiter = CheckedContinuation<Result<BearerToken, TokenError>, Never>

    private struct State {
        var machine: TokenMachine
        var waiters: [Int: Waiter] = [:]
        var numbers = 0
    }

    private let fetch: Fetch
    private let refreshDeadline: Duration
    private let time: any TimeSource
    private let random: any RandomSource
    private let state: Monitor<State>

    package init(
        backoff: Backoff = Backoff(first: .seconds(1), longest: .seconds(60)),
        refreshDeadline: Duration = .seconds(30), time: any TimeSource = SystemTimeSource(),
        random: any RandomSource = SystemRandomSource(), fetch: @escaping Fetch
    ) {
        self.fetch = fetch
        self.refreshDeadline = refreshDeadline
        self.time = time
        self.random = random
        state = Monitor(State(machine: TokenMachine(backoff: backoff)))
    }

    /// Waits only if there is no usable token, and no longer than a refresh may take.
    package func token() async throws(TokenError) -> BearerToken {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { ask(number, waiter: $0) }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: .failure(TokenCache.cancelled))
        }
        return try result.get()
    }

    /// Notes that a provider refused the token.
    package func refuse(_ token: BearerToken) -> Refusal {
        state.withLock { $0.machine.refuse(token, at: time.uptime) }
    }

    private static let cancelled = TokenError(.cancelled, message: "the request for a token was cancelled")

    private func ask(_ number: Int, waiter: Waiter) {
        let (result, refresh) = state.withLock { state -> (Result<BearerToken, TokenError>?, Int?) in
            // A task is marked as cancelled before its handler runs, so one of the two sees the other.
            if Task.isCancelled { return (.failure(TokenCache.cancelled), nil) }
            switch state.machine.ask(at: time.uptime) {
            case .use(let token): return (.success(token), nil)
            case .useAndRefresh(let token, let refresh): return (.success(token), refresh)
            case .fail(let error): return (.failure(error), nil)
            case .wait:
                state.waiters[number] = waiter
                return (nil, nil)
            case .refreshAndWait(let refresh):
                state.waiters[number] = waiter
                return (nil, refresh)
            }
        }
        if let result { waiter.resume(returning: result) }
        if let refresh { begin(refresh) }
    }

    /// The refresh belongs to no caller: the one that caused it may be cancelled while others wait.
    private func begin(_ refresh: Int) {
        let fetching = Task { [self] in
            do throws(TokenError) {
                end(refresh, result: .success(try await fetch()))
            } catch {
                end(refresh, result: .failure(error))
            }
        }
        let timer = Task { [self] in
            guard (try? await time.sleep(for: refreshDeadline)) != nil else { return }
            end(
                refresh,
                result: .failure(TokenError(.unavailable, message: "no token received within \(refreshDeadline)")))
            fetching.cancel()
        }
        Task {
            await fetching.value
            timer.cancel()
        }
    }

    private func end(_ refresh: Int, result: Result<IssuedToken, TokenError>) {
        let ended = state.withLock { state -> (waiters: [Int: Waiter], outcome: Result<BearerToken, TokenError>)? in
            guard let outcome = record(refresh, result: result, in: &state.machine) else { return nil }
            defer { state.waiters = [:] }
            return (state.waiters, outcome)
        }
        guard let ended else { return }
        for waiter in ended.waiters.values { waiter.resume(returning: ended.outcome) }
    }

    /// Nil if this refresh was abandoned before, and its waiters have been resumed.
    private func record(
        _ refresh: Int, result: Result<IssuedToken, TokenError>, in machine: inout TokenMachine
    ) -> Result<BearerToken, TokenError>? {
        switch result {
        case .success(let issued):
            machine.succeed(refresh, issued: issued, at: time.uptime, random: random).map { .success($0) }
        case .failure(let error):
            machine.fail(refresh, error: error, at: time.uptime, random: random) ? .failure(error) : nil
        }
    }
}
