import Apps
import PushModel
import ServiceKit
import TaskModel

/// Makes queued events durable, like those of requests. A batch is repeated until the store and the bus take it, since
/// no sender would repeat it.
struct EventAcceptance: Sendable {
    private static let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    let submission: TaskSubmission
    let purge: EventDatagrams.Purge
    let drops: EventDrops
    let meters: EventMeters
    let random: any RandomSource
    let time: any TimeSource
    let log: RefusalLog

    func accept(_ batch: [QueuedEvent]) async {
        var prepared: [TaskAcceptance.PreparedTask] = []
        prepared.reserveCapacity(batch.count)
        for event in batch {
            switch event.datagram.method {
            case .publish: if let task = prepare(event) { prepared.append(task) }
            case .purge:
                await persist(1, as: .purged) { try await purge(event.datagram.event, event.sender.caller.app.id) }
            }
        }
        guard !prepared.isEmpty else { return }
        let isDurable = await persist(prepared.count, as: .accepted) { [prepared] in
            try await submission.acceptRepeatedly(prepared)
        }
        if !isDurable { await submission.withdraw(prepared) }
    }

    /// Nil for a dropped event.
    private func prepare(_ event: QueuedEvent) -> TaskAcceptance.PreparedTask? {
        do {
            let name = event.datagram.event
            let form = try EventForm(event.datagram.fields(), event: name.text)
            let caller = event.sender.caller
            return try submission.prepare(form.draft(for: EventTarget(name), app: caller.app), of: caller)
        } catch {
            if let drop = EventDrop(error) {
                drops.note(drop, of: event.datagram.event)
                meters.count(.dropped)
            } else {
                meters.count(.malformed)
            }
            return nil
        }
    }

    /// False if the drain's time is over.
    @discardableResult
    private func persist(
        _ count: Int, as outcome: EventMeters.Outcome, step: () async throws -> Void
    ) async -> Bool {
        var attempt = 0
        while true {
            do {
                try await step()
                meters.count(outcome, by: count)
                return true
            } catch {
                attempt += 1
                log.warning("events of datagrams wait", because: error)
                try? await time.sleep(for: EventAcceptance.backoff.delay(afterAttempt: attempt, random: random))
                guard Task.isCancelled else { continue }
                log.error("events of datagrams lost", because: error)
                meters.count(.lost, by: count)
                return false
            }
        }
    }
}
