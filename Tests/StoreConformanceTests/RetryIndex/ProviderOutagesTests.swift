import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

/// Outages shared by processes, on every store.
@Suite(.timeLimit(.minutes(5))) struct ProviderOutagesTests {
    private let pauses = OutagePauses(first: .seconds(15), longest: .seconds(300))
    private let route: ProviderRoute

    init() throws {
        route = ProviderRoute(app: try AppID("news"), provider: .fcm)
    }

    @Test(arguments: StoreKind.allCases)
    func pausesDoubleUpToTheLongest(kind: StoreKind) async throws {
        try await kind.withOutages { outages, time in
            #expect(try await outages.read() == [:])
            for ceiling in [15, 30, 60, 120, 240, 300, 300] {
                let pause = try await outages.extend(route, by: pauses, jitter: 0.5, isProbe: true)
                #expect(pause == .seconds(ceiling) * 3 / 4)
                #expect(try await outages.read() == [route: pause])
                // Another sender with the same failure, or one that requests a probe too early, changes nothing.
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

    /// One sender holds the probe until it reports the result, returns it, or its lease expires.
    @Test(arguments: StoreKind.allCases)
    func oneProbeIsUnderWay(kind: StoreKind) async throws {
        try await kind.withOutages { outages, time in
            let pause = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            time.advance(by: pause)
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            let refusal = ProbeVerdict.refused(ProviderOutageBounds.probePause)
            #expect(try await outages.probe(route, for: .seconds(60)) == refusal)
            // Earlier failures of other senders do not extend the outage while its probe is in flight.
            _ = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            #expect(try await outages.read() == [route: .zero])
            try await outages.giveBackProbe(route)
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            time.advance(by: .seconds(60))
            #expect(try await outages.probe(route, for: .seconds(60)) == .granted)
            #expect(try await outages.read() == [route: .seconds(-60)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneDeviceAtATimeIsNominated(kind: StoreKind) async throws {
        try await kind.withOutages { outages, time in
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

    /// An outage that no sender probes does not block devices forever.
    @Test(arguments: StoreKind.allCases)
    func anOutageWithoutSendersIsForgotten(kind: StoreKind) async throws {
        try await kind.withOutages { outages, time in
            let pause = try await outages.extend(route, by: pauses, jitter: 0, isProbe: false)
            time.advance(by: pause + ProviderOutageBounds.memory)
            #expect(try await outages.read() == [:])
            #expect(try await outages.probe(route, for: .seconds(60)) == .open)
            #expect(try await outages.extend(route, by: pauses, jitter: 0, isProbe: true) == .milliseconds(7_500))
        }
    }
}
