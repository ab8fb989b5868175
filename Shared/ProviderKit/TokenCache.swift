package import ServiceKit

/// One bearer token for all who send with the same credential, renewed in time and by one of them for all.
///
/// A failed refresh is repeated with back-off and not by every asker; until then a token that is still good is used on.
package final class TokenCache: Sendable {
    /// What follows from a provider's refusal of a token.
    package enum Refusal: Sendable, Equatable {
        /// Another token has taken its place already: send again with that one.
        case replaced
        /// It will not be used again: ask for the next one.
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

    /// Waits only when there is no token to use, and no longer than a refresh may take.
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

    /// Says that a provider refused the token.
    package func refuse(_ token: BearerToken) -> Refusal {
        state.withLock { $0.machine.refuse(token, at: time.uptime) }
    }

    private static let cancelled = TokenError(.cancelled, message: "the task that asked for a token was cancelled")

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

    /// The refresh belongs to no asker: the one that caused it may be cancelled while others wait.
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
            end(refresh, result: .failure(TokenError(.unavailable, message: "no token came within \(refreshDeadline)")))
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

    /// Nil when this refresh was given up before, and those who waited for it have been told.
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
