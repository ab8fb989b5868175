import Bus
import ServiceHost
import ServiceKit
import Synchronization
import Topics

/// Follows the topic `events` and tells the hub what it reads.
final class EventReader: Service {
    let name = "event reader"
    private let hub: EventHub
    private let context: ServiceContext
    private let pulse: Pulse
    private let lastError = Mutex<String?>(nil)
    private let stopRequested = OneTimeEvent()

    init(_ hub: EventHub, context: ServiceContext) {
        self.hub = hub
        self.context = context
        pulse = context.environment.health.pulse("event reader", limit: .seconds(30))
        pulse.rest()
        context.environment.health.addReadinessCheck("events") { [weak self] in self?.readiness ?? .ready }
    }

    func run() async throws {
        let reading = Task { try await readAll() }
        await stopRequested.wait()
        reading.cancel()
        do {
            try await reading.value
        } catch is CancellationError {
            return
        }
    }

    func stop() {
        stopRequested.happen()
    }

    var readiness: Health.Readiness {
        if let error = lastError.withLock({ $0 }) { return .notReady(error) }
        return hub.isCurrent ? .ready : .notReady("the events are being read")
    }

    private func readAll() async throws {
        while !Task.isCancelled {
            let reader = try await context.untilReachable("the events") { [bus = context.bus] in
                try await bus.makeLogReader(Topics.events.channel)
            }
            hub.restart(reader.held)
            await follow(reader)
            await reader.close()
        }
        pulse.rest()
    }

    /// Returns when the reader is of no use any more, or the task is cancelled.
    private func follow(_ reader: any BusLogReader) async {
        while !Task.isCancelled {
            pulse.tick()
            do throws(BusError) {
                let messages = try await reader.next()
                note(nil)
                if messages.isEmpty { hub.readNothing() } else { hub.read(messages) }
            } catch {
                note(error)
                guard error.code == .unavailable else { return }
                try? await context.environment.time.sleep(for: .milliseconds(500))
            }
        }
    }

    private func note(_ error: BusError?) {
        let isNew = lastError.withLock { last in
            defer { last = error?.description }
            return last != error?.description
        }
        guard isNew, let error else { return }
        context.environment.log.warning(
            error.code == .unavailable ? "cannot read the events" : "the events are read anew", [.error: "\(error)"])
    }
}
