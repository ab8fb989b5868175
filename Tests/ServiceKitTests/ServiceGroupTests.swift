import ServiceKit
import TestSupport
import Testing

@Suite struct ServiceGroupTests {
    private let time = ManualTimeSource()
    private let sink = CollectingSink()
    private let events = Monitor<[String]>([])
    private let stop = OneTimeEvent()

    private func service(_ name: String, behaviour: StagedService.Behaviour = .stopsWhenAsked) -> StagedService {
        StagedService(name, behaviour: behaviour, events: events)
    }

    private func run(_ services: StagedService..., within deadline: Duration = .seconds(30)) async throws
        -> ServiceGroup.End
    {
        try await ServiceGroup(services, log: Log(service: "test", sink: sink, time: time), time: time)
            .run(drainingWithin: deadline) { [stop] in await stop.wait() }
    }

    private var order: [String] { events.withLock { $0 } }

    /// Goal: a service that feeds others is finished before those it feeds. Method: each service records when it was
    /// asked to stop and when it had finished.
    @Test func stopsInReverseOneAtATime() async throws {
        stop.happen()
        #expect(try await run(service("bus"), service("sender"), service("worker")) == .drained)
        #expect(
            order == ["stop worker", "end worker", "stop sender", "end sender", "stop bus", "end bus"])
    }

    @Test func aFailureDrainsTheOthersAndIsThrown() async throws {
        let error = await #expect(throws: StagedError.self) {
            try await run(service("bus"), service("worker", behaviour: .fails), service("other"))
        }
        #expect(error?.name == "worker")
        #expect(order == ["fail worker", "stop other", "end other", "stop worker", "stop bus", "end bus"])
        #expect(sink.lines.contains { $0.contains("worker failed") })
    }

    @Test func aServiceThatEndsByItselfIsAFailure() async throws {
        let error = await #expect(throws: ServiceEndedEarlyError.self) {
            try await run(service("bus"), service("worker", behaviour: .endsByItself))
        }
        #expect(error?.name == "worker")
        #expect(order.contains("end bus"))
    }

    @Test func aFailureOfTheDrainIsThrownAfterIt() async throws {
        stop.happen()
        let error = await #expect(throws: StagedError.self) {
            try await run(service("bus"), service("worker", behaviour: .failsWhenAsked))
        }
        #expect(error?.name == "worker")
        #expect(order == ["stop worker", "fail worker", "stop bus", "end bus"])
    }

    /// Goal: the deadline holds even for a service that ignores everything. Method: its run never returns, not even
    /// when cancelled.
    @Test func theDeadlineNamesWhoWasLate() async throws {
        stop.happen()
        let stubborn = service("worker", behaviour: .heedsNothing)
        async let end = run(service("bus"), stubborn, service("other"), within: .seconds(5))
        #expect(await time.hasSleepers(1))
        await events.wait { $0.contains("stop worker") }
        time.advance(by: .seconds(5))
        #expect(try await end == .cutOff(["bus", "worker"]))
        #expect(order.prefix(4) == ["stop other", "end other", "stop worker", "stop bus"])
        stubborn.release()
    }

    @Test func aFailureBesideLateServicesIsThrownAndTheyAreNamed() async throws {
        let stubborn = service("worker", behaviour: .heedsNothing)
        let end = Task { try await run(stubborn, service("other", behaviour: .fails), within: .seconds(5)) }
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(5))
        await #expect(throws: StagedError.self) { try await end.value }
        #expect(sink.lines.contains { $0.contains("drain deadline exceeded: worker") })
        stubborn.release()
    }
}

/// Runs until its scripted end, and records the events.
private final class StagedService: Service {
    enum Behaviour {
        case stopsWhenAsked
        case endsByItself
        case fails
        case failsWhenAsked
        case heedsNothing
    }

    let name: String
    private let behaviour: Behaviour
    private let events: Monitor<[String]>
    private let asked = OneTimeEvent()
    private let released = OneTimeEvent()

    init(_ name: String, behaviour: Behaviour, events: Monitor<[String]>) {
        self.name = name
        self.behaviour = behaviour
        self.events = events
    }

    func run() async throws {
        switch behaviour {
        case .stopsWhenAsked: await asked.wait()
        case .endsByItself: break
        case .fails: try fail()
        case .failsWhenAsked:
            await asked.wait()
            try fail()
        case .heedsNothing:
            // An unstructured task, which the cancellation does not reach.
            await Task { [released] in await released.wait() }.value
        }
        events.change { $0.append("end \(name)") }
    }

    func stop() {
        events.change { $0.append("stop \(name)") }
        asked.happen()
    }

    func release() {
        released.happen()
    }

    private func fail() throws {
        events.change { $0.append("fail \(name)") }
        throw StagedError(name: name)
    }
}

private struct StagedError: Error {
    let name: String
}

extension Monitor<[String]> {
    /// Waits off the shared threads, for at most half a minute.
    fileprivate func wait(until isFulfilled: @escaping @Sendable ([String]) -> Bool) async {
        await blocking { [self] in _ = wait(timeout: .hangLimit) { isFulfilled($0) ? true : nil } }
    }
}
