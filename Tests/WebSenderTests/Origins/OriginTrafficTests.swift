import ProviderKit
import ServiceKit
import Testing

@testable import WebSender

@Suite struct OriginTrafficTests {
    private let random = SeededRandomSource(seed: 5)

    private func origin(_ number: Int) -> PushOrigin {
        PushOrigin(scheme: .https, host: "push-\(number).example", port: 443)
    }

    private func send(_ outcome: PushOutcome, to number: Int, through traffic: inout OriginTraffic, at now: Duration) {
        guard case .go(1, let isProbe) = traffic.ask(1, to: origin(number), at: now) else {
            Issue.record("a push to \(number) must be let go")
            return
        }
        traffic.settle([outcome], of: origin(number), isProbe: isProbe, at: now, random: random)
    }

    private func isRefused(_ number: Int, by traffic: inout OriginTraffic, at now: Duration) -> Bool {
        guard case .refused = traffic.ask(1, to: origin(number), at: now) else { return false }
        return true
    }

    /// Goal: the table is bounded, and forgets first what costs nothing. Method: ten times as many servers as fit, the
    /// first of which is down.
    @Test func whatFailsIsRememberedLongest() {
        var traffic = OriginTraffic()
        for _ in 0..<3 { send(.notSent("down"), to: 0, through: &traffic, at: .zero) }
        for number in 1...40_960 {
            send(.delivered, to: number, through: &traffic, at: .milliseconds(number / 100))
            #expect(traffic.count <= 4_096)
        }
        #expect(isRefused(0, by: &traffic, at: .seconds(1)))
    }

    /// Even of servers that are all down only so many are remembered: the ones used last.
    @Test func theLeastRecentlyUsedGoFirst() {
        var settings = OriginSettings()
        settings.originsMaximum = 64
        var traffic = OriginTraffic(settings)
        for number in 0..<65 {
            for _ in 0..<3 { send(.notSent("down"), to: number, through: &traffic, at: .milliseconds(number)) }
        }
        #expect(traffic.count == 64 - 8 + 1)
        #expect(isRefused(64, by: &traffic, at: .seconds(1)) && isRefused(8, by: &traffic, at: .seconds(1)))
        #expect(!isRefused(0, by: &traffic, at: .seconds(1)))
    }

    @Test func aServerWithPushesInFlightIsNotForgotten() {
        var settings = OriginSettings()
        settings.originsMaximum = 8
        var traffic = OriginTraffic(settings)
        for number in 0..<8 { #expect(!isRefused(number, by: &traffic, at: .zero)) }
        #expect(isRefused(8, by: &traffic, at: .zero))
        traffic.settle([.delivered], of: origin(3), isProbe: false, at: .zero, random: random)
        #expect(!isRefused(8, by: &traffic, at: .zero))
        #expect(traffic.count == 8)
    }

    @Test func fewServersAreProbedAtOnce() {
        var settings = OriginSettings()
        settings.probesMaximum = 2
        var traffic = OriginTraffic(settings)
        for number in 0..<4 {
            for _ in 0..<3 { send(.notSent("down"), to: number, through: &traffic, at: .zero) }
        }
        let later = Duration.seconds(10)
        #expect(traffic.ask(5, to: origin(0), at: later) == .go(1, isProbe: true))
        #expect(traffic.ask(5, to: origin(1), at: later) == .go(1, isProbe: true))
        #expect(isRefused(2, by: &traffic, at: later))
        traffic.settle([.notSent("down")], of: origin(0), isProbe: true, at: later, random: random)
        #expect(traffic.ask(5, to: origin(2), at: later) == .go(1, isProbe: true))
        #expect(isRefused(3, by: &traffic, at: later))
    }

    /// Goal: 50 dead servers of 4,096 cost the others less than a twentieth of their rate. Method: in virtual time,
    /// an app sends as fast as its pushes in flight allow, to one server after another, for two minutes from the first
    /// contact on; a living server answers in half a second, a dead one takes the three seconds of a connection that
    /// nothing answers. What is counted is the pushes answered by living servers, with and without the dead ones.
    @Test func deadServersCostTheOthersLittle() {
        let alive = TrafficSimulation(dead: 0).run(for: .seconds(120))
        let some = TrafficSimulation(dead: 50).run(for: .seconds(120))
        let share = Double(4_096 - 50) / 4_096
        #expect(Double(some.answered) >= Double(alive.answered) * share * 0.95, "\(some) of \(alive)")
        // One at first, and one after each pause.
        #expect(some.failed <= 50 * 10, "\(some)")
    }
}

/// One app's pushes to many servers in virtual time: a slot is taken by the next push as soon as it is free.
struct TrafficSimulation {
    struct Result: Sendable, Equatable {
        var answered = 0
        var failed = 0
        var heldBack = 0
    }

    private struct Flight {
        let origin: Int
        let isProbe: Bool
    }

    private static let slots = 1_000
    private let origins = (0..<4_096).map { PushOrigin(scheme: .https, host: "push-\($0).example", port: 443) }
    private let dead: Int

    init(dead: Int) {
        self.dead = dead
    }

    func run(for length: Duration) -> Result {
        let random = SeededRandomSource(seed: 8)
        let step = Duration.milliseconds(10)
        var (traffic, result) = (OriginTraffic(), Result())
        // By the step in which they end.
        var ends: [Int: [Flight]] = [:]
        var (inFlight, next) = (0, 0)
        for tick in 0..<Int(length / step) {
            let now = step * tick
            for flight in ends.removeValue(forKey: tick) ?? [] {
                inFlight -= 1
                let isDead = isDead(flight.origin)
                if isDead { result.failed += 1 } else { result.answered += 1 }
                traffic.settle(
                    [isDead ? .notSent("connect timeout") : .delivered], of: origins[flight.origin],
                    isProbe: flight.isProbe, at: now, random: random)
            }
            // A push that is held back is put off, and the next one takes its place.
            while inFlight < TrafficSimulation.slots {
                next = (next + 1) % origins.count
                switch traffic.ask(1, to: origins[next], at: now) {
                case .go(_, let isProbe):
                    let taken = isDead(next) ? Duration.seconds(3) : .milliseconds(500)
                    let end = Int((now + taken) / step)
                    ends[end, default: []].append(Flight(origin: next, isProbe: isProbe))
                    inFlight += 1
                case .refused, .wait: result.heldBack += 1
                }
            }
        }
        return result
    }

    private func isDead(_ number: Int) -> Bool { number % 80 == 0 && number / 80 < dead }
}
