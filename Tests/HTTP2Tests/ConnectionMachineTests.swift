import ServiceKit
import Testing

@testable import HTTP2

@Suite struct ConnectionMachineTests {
    private let broken = HTTP2Error(.broken, message: "gone")
    private var configuration: HTTP2Configuration {
        var configuration = HTTP2Configuration()
        configuration.openLimit = .seconds(10)
        configuration.ageMaximum = .seconds(100)
        configuration.reconnectBackoff = Backoff(first: .seconds(1), longest: .seconds(60))
        return configuration
    }

    private func machine() -> ConnectionMachine {
        ConnectionMachine(configuration, random: SeededRandomSource(seed: 1))
    }

    private func readyMachine(answered: Bool) -> ConnectionMachine {
        var machine = machine()
        _ = machine.handle(.wanted, now: .zero)
        _ = machine.handle(.greeted, now: .zero)
        if answered { _ = machine.handle(.answered, now: .zero) }
        return machine
    }

    @Test func opensWhenWantedAndServesOnceGreeted() {
        var machine = machine()
        let opening = machine.handle(.wanted, now: .seconds(5))
        #expect(opening == .open && machine.state == .opening && machine.timeout == .seconds(15))
        let again = machine.handle(.wanted, now: .seconds(6))
        #expect(again == .none)
        let greeted = machine.handle(.greeted, now: .seconds(6))
        #expect(greeted == .serve && machine.state == .ready)
    }

    @Test func aPeerThatIsNotReadyInTimeIsGivenUp() {
        var machine = machine()
        _ = machine.handle(.wanted, now: .zero)
        let action = machine.handle(.timedOut, now: .seconds(10))
        guard case .drop(let error) = action else { return #expect(Bool(false), "\(action)") }
        #expect(error.code == .unreachable && machine.state == .backingOff)
    }

    @Test func backsOffLongerWithEachFailureUntilAnAnswer() throws {
        var machine = machine()
        var pauses: [Duration] = []
        for _ in 0..<4 {
            _ = machine.handle(.wanted, now: .zero)
            _ = machine.handle(.failed(broken), now: .zero)
            pauses.append(try #require(machine.timeout))
            let early = machine.handle(.wanted, now: .zero)
            #expect(early == .none)
            _ = machine.handle(.timedOut, now: .zero)
            #expect(machine.state == .idle)
        }
        for (failures, pause) in pauses.enumerated() {
            let ceiling = Duration.seconds(1 << failures)
            #expect(pause >= ceiling / 2 && pause <= ceiling)
        }
        _ = machine.handle(.wanted, now: .zero)
        _ = machine.handle(.greeted, now: .zero)
        _ = machine.handle(.answered, now: .zero)
        let drop = machine.handle(.failed(broken), now: .zero)
        let pause = try #require(machine.timeout)
        #expect(drop == .drop(broken) && pause <= .seconds(1))
    }

    @Test func isReplacedAtOnceWhenThePeerSaysGoodbyeAfterAnswering() {
        var machine = readyMachine(answered: true)
        let action = machine.handle(.retired, now: .zero)
        #expect(action == .retire && machine.state == .idle)
    }

    @Test func aPeerThatOnlySaysGoodbyeIsNotCalledWithoutAPause() {
        var machine = readyMachine(answered: false)
        let action = machine.handle(.retired, now: .zero)
        #expect(action == .retire && machine.state == .backingOff)
    }

    @Test func isReplacedWhenItIsOld() throws {
        var machine = readyMachine(answered: false)
        let age = try #require(machine.timeout)
        #expect(age >= .seconds(50) && age <= .seconds(100))
        let action = machine.handle(.timedOut, now: age)
        #expect(action == .retire && machine.state == .idle)
    }

    @Test func nothingHappensOnceItIsClosed() {
        var machine = readyMachine(answered: true)
        let action = machine.handle(.closed, now: .zero)
        #expect(action == .drop(HTTP2Error(.closed, message: "the pool was closed")))
        let later = machine.handle(.wanted, now: .zero)
        #expect(later == .none && machine.timeout == nil)
    }
}
