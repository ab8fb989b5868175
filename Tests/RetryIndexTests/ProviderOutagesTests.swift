import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// Outages as processes share them, on every store.
@Suite(.timeLimit(.minutes(2))) struct ProviderOutagesTests {
    private let pauses = OutagePauses(first: .seconds(15), longest: .seconds(300))
    private let route: ProviderRoute

    init() throws {
        route = ProviderRoute(app: try AppID("news"), provider: .fcm)
    }

    @Test(arguments: RetryIndexDriver.allCases)
    func pausesDoubleUpToTheLongest(driver: RetryIndexDriver) async throws {
        try await driver.withOutages { outages, time in
            #expect(try await outages.read() == [:])
            for ceiling in [15, 30, 60, 120, 240, 300, 300] {
                let pause = try await outages.extend(route, by: pauses, jitter: 0.5, isProbe: true)
                #expect(pause == .seconds(ceiling) * 3 / 4)
                #expect(try await outages.read() == [route: pause])
                // Another sender that has met the same failure, or one that asks too early, changes nothing.
                time.advance(by: .seconds(1))
                #expect(
                    try await outages.extend(route, by: pauses, jitter: 1, isProbe: false) == pause - .seconds(1))
                #expect(try await outages.probe(route, for: .seconds(60)) == .refused(pause - .seconds(1)))
                #expect(try await !outages.nominate(route, for: .seconds(5)))
                time.advance(by: pause - .seconds(1))
                #expect(try await outages.read() == [route: .zero])
            }
            try await outages.end(route)
            #expect(try await outages.read() == [:])
            #expect(try await outages.probe(route, for: .seconds(60)) == .open)
            #expect(try await outages.extend(route, by: pauses, jitter: 0, isProbe: false) == .milliseconds(7_500))
        }
    }

    /// One sender has the probe until it tells, gives it back, or its lease is over.
    @Test(arguments: RetryIndexDriver.allCases)
    func oneProbeIsUnderWay(driver: RetryIndexDriver) async throws {
        try await driver.withOutages { outages, time in
            let pause = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            time.advance(by: pause)
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            let refusal = ProbeVerdict.refused(ProviderOutageBounds.probePause)
            #expect(try await outages.probe(route, for: .seconds(60)) == refusal)
            // What other senders met before does not extend the outage while its probe is under way.
            _ = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            #expect(try await outages.read() == [route: .zero])
            try await outages.giveBackProbe(route)
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            time.advance(by: .seconds(60))
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            #expect(try await outages.read() == [route: .seconds(-60)])
        }
    }

    @Test(arguments: RetryIndexDriver.allCases)
    func oneDeviceAtATimeIsNominated(driver: RetryIndexDriver) async throws {
        try await driver.withOutages { outages, time in
            #expect(try await !outages.nominate(route, for: .seconds(5)))
            let pause = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            time.advance(by: pause)
            #expect(try await outages.nominate(route, for: .seconds(5)))
            #expect(try await !outages.nominate(route, for: .seconds(5)))
            time.advance(by: .seconds(5))
            #expect(try await outages.nominate(route, for: .seconds(5)))
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            time.advance(by: .seconds(5))
            #expect(try await !outages.nominate(route, for: .seconds(5)))
        }
    }

    /// Nothing waits for ever for an outage that nobody asks about.
    @Test(arguments: RetryIndexDriver.allCases)
    func anOutageWithoutSendersIsForgotten(driver: RetryIndexDriver) async throws {
        try await driver.withOutages { outages, time in
            let pause = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            time.advance(by: pause + ProviderOutageBounds.memory)
            #expect(try await outages.read() == [:])
            #expect(try await outages.probe(route, for: .seconds(60)) == .open)
            #expect(try await outages.extend(route, by: pauses, jitter: 0, isProbe: true) == .milliseconds(7_500))
        }
    }
}
