import ServiceKit

/// State machine of one connection, without I/O: takes events, returns actions.
struct RedisConnectionMachine {
    enum State: Equatable {
        case disconnected
        case connecting
        case handshaking
        case authenticating
        case selecting
        /// Checks whether the server takes commands: one that is still loading its data does not.
        case probing
        case ready
        case backingOff
        case closed
    }

    enum Event: Equatable {
        case started
        /// The TCP connection is established.
        case connected
        /// TLS is established.
        case secured
        /// The answer to the last `greet`.
        case greeted(RedisValue)
        case failed(RedisError)
        /// The time in `timeout` has come.
        case timedOut
        case closed
    }

    enum Action: Equatable {
        case none
        case open
        case greet(RedisCommand)
        case serve
        /// Close the socket; commands that were sent end as unknown.
        case drop(RedisError)
        case stop
    }

    private(set) var state = State.disconnected
    /// When to report `timedOut`, in uptime.
    private(set) var timeout: Duration?
    private var failures = 0
    private let configuration: RedisConfiguration
    private let random: any RandomSource

    init(_ configuration: RedisConfiguration, random: any RandomSource) {
        self.configuration = configuration
        self.random = random
    }

    mutating func handle(_ event: Event, now: Duration) -> Action {
        switch (state, event) {
        case (.closed, _): return .none
        case (_, .closed):
            state = .closed
            timeout = nil
            return .stop
        case (.disconnected, .started), (.backingOff, .timedOut):
            state = .connecting
            timeout = now + configuration.connectDeadline
            return .open
        case (.backingOff, _): return .none
        case (_, .failed(let error)): return backOff(explained(error), now: now)
        case (.connecting, .connected):
            guard configuration.tls == nil else { return move(to: .handshaking, .none) }
            return authenticate()
        case (.handshaking, .secured): return authenticate()
        case (.authenticating, .greeted(let reply)):
            if case .error(let line) = reply { return backOff(refusedPassword(line), now: now) }
            return select()
        case (.selecting, .greeted(let reply)):
            if case .error(let line) = reply { return backOff(refusedDatabase(line), now: now) }
            return probe()
        case (.probing, .greeted(let reply)):
            if let error = obstacle(reply) { return backOff(error, now: now) }
            failures = 0
            timeout = nil
            return move(to: .ready, .serve)
        case (_, .timedOut):
            let limit = DurationText.print(configuration.connectDeadline)
            return backOff(
                explained(RedisError(.notSent, message: "the server was not ready within \(limit) (\(state))")),
                now: now)
        default:
            preconditionFailure("unexpected event \(event) in state \(state)")
        }
    }

    private mutating func move(to next: State, _ action: Action) -> Action {
        state = next
        return action
    }

    private mutating func backOff(_ error: RedisError, now: Duration) -> Action {
        failures += 1
        timeout = now + configuration.reconnectBackoff.delay(afterAttempt: failures, random: random)
        return move(to: .backingOff, .drop(error))
    }

    private mutating func authenticate() -> Action {
        guard let password = configuration.password else { return select() }
        let word = RedisArgument(password.reveal())
        let user = configuration.user.map { [RedisArgument($0)] } ?? []
        return move(to: .authenticating, .greet(RedisCommand(["AUTH"] + user + [word])))
    }

    private mutating func select() -> Action {
        guard configuration.database != 0 else { return probe() }
        return move(to: .selecting, .greet(RedisCommand("SELECT", RedisArgument(configuration.database))))
    }

    private mutating func probe() -> Action {
        move(to: .probing, .greet(RedisCommand("PING")))
    }

    /// If only one side uses TLS, the error is merely a closed connection or a timeout.
    private func explained(_ error: RedisError) -> RedisError {
        guard error.code == .notSent else { return error }
        switch (state, configuration.tls) {
        case (.handshaking, .some):
            return RedisError(
                .notSent, message: "\(error.message); if the port has no TLS, use redis:// instead of rediss://")
        case (.authenticating, nil), (.selecting, nil), (.probing, nil):
            return RedisError(
                .notSent, message: "\(error.message); if the port uses TLS, use rediss:// instead of redis://")
        default: return error
        }
    }

    private func refusedPassword(_ line: String) -> RedisError {
        let error = RedisError(reply: line)
        guard !error.isRetriable else { return error }
        return RedisError(
            .refused, message: "the server refuses user and password (\(line)); check \(RedisSettings.password)")
    }

    private func refusedDatabase(_ line: String) -> RedisError {
        let error = RedisError(reply: line)
        guard !error.isRetriable else { return error }
        return RedisError(
            .refused, message: "the server refuses database \(configuration.database) (\(line)); check the address")
    }

    private func obstacle(_ reply: RedisValue) -> RedisError? {
        guard case .error(let line) = reply else { return nil }
        let error = RedisError(reply: line)
        switch error.code {
        // A user without the right to ping may still have the rights that the service needs.
        case .reply("NOPERM"): return nil
        case .reply("NOAUTH"):
            return RedisError(
                .refused, message: "the server requires a password (\(line)); set \(RedisSettings.password)")
        default: return error
        }
    }
}
