import ServiceKit
import Testing

@testable import RedisClient

@Suite struct RedisConnectionMachineTests {
    private func machine(_ configuration: RedisConfiguration = RedisConfiguration()) -> RedisConnectionMachine {
        RedisConnectionMachine(configuration, random: SeededRandomSource(seed: 1))
    }

    @Test func goesThroughEveryStepInOrder() throws {
        var machine = self.machine(try RedisConfiguration(url: "rediss://user:word@host:1/2"))
        #expect(machine.handle(.started, now: .zero) == .open)
        #expect(machine.handle(.connected, now: .zero) == .none)
        #expect(machine.state == .handshaking)
        #expect(machine.handle(.secured, now: .zero) == .greet(RedisCommand("AUTH", "user", "word")))
        #expect(machine.handle(.greeted(.status("OK")), now: .zero) == .greet(RedisCommand("SELECT", 2)))
        #expect(machine.handle(.greeted(.status("OK")), now: .zero) == .greet(RedisCommand("PING")))
        #expect(machine.handle(.greeted(.status("PONG")), now: .zero) == .serve)
        #expect(machine.state == .ready && machine.timeout == nil)
    }

    @Test func skipsWhatIsNotConfigured() {
        var machine = machine()
        _ = machine.handle(.started, now: .zero)
        #expect(machine.handle(.connected, now: .zero) == .greet(RedisCommand("PING")))
    }

    @Test func backsOffLongerAfterEachFailureAndForgetsWhenReady() throws {
        var machine = machine()
        let error = RedisError(.notSent, message: "refused")
        _ = machine.handle(.started, now: .zero)
        var waits: [Duration] = []
        for _ in 0..<3 {
            #expect(machine.handle(.failed(error), now: .zero) == .drop(error))
            waits.append(try #require(machine.timeout))
            #expect(machine.handle(.timedOut, now: .zero) == .open)
        }
        #expect(waits[0] <= .milliseconds(50) && waits[1] > .milliseconds(49) && waits[2] > .milliseconds(99))
        _ = machine.handle(.connected, now: .zero)
        _ = machine.handle(.greeted(.status("PONG")), now: .zero)
        _ = machine.handle(.failed(error), now: .zero)
        #expect(try #require(machine.timeout) <= .milliseconds(50))
    }

    @Test func aServerThatLoadsIsTriedAgainAndOneThatRefusesSaysHowToFixIt() {
        var machine = machine()
        _ = machine.handle(.started, now: .zero)
        _ = machine.handle(.connected, now: .zero)
        let loading = machine.handle(.greeted(.error("LOADING Redis is loading")), now: .zero)
        guard case .drop(let first) = loading else {
            Issue.record("a loading server was accepted")
            return
        }
        #expect(first.isRetriable)
        _ = machine.handle(.timedOut, now: .zero)
        _ = machine.handle(.connected, now: .zero)
        guard case .drop(let second) = machine.handle(.greeted(.error("NOAUTH required")), now: .zero) else {
            Issue.record("a missing password was accepted")
            return
        }
        #expect(second.code == .refused && second.message.contains("CARILLON_REDIS_PASSWORD"))
    }

    @Test func givesUpConnectingAtTheDeadline() {
        var configuration = RedisConfiguration()
        configuration.connectDeadline = .seconds(2)
        var machine = machine(configuration)
        _ = machine.handle(.started, now: .seconds(10))
        #expect(machine.timeout == .seconds(12))
        guard case .drop(let error) = machine.handle(.timedOut, now: .seconds(12)) else {
            Issue.record("connecting did not time out")
            return
        }
        #expect(error.code == .notSent)
        #expect(machine.state == .backingOff)
    }

    @Test func closedIsTheEnd() {
        var machine = machine()
        _ = machine.handle(.started, now: .zero)
        #expect(machine.handle(.closed, now: .zero) == .stop)
        #expect(machine.handle(.connected, now: .zero) == .none)
    }
}
