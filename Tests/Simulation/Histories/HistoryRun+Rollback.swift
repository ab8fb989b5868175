import ServiceKit
import Store
import Synchronization

extension History {
    /// True if its stores come back with older data.
    var loses: Bool {
        events.contains { event in
            if case .storeGoesBack = event.kind { true } else { false }
        }
    }

    /// True if a clock of it is wrong.
    var skews: Bool {
        events.contains { event in
            switch event.kind {
            case .clock, .storeClock: true
            default: false
            }
        }
    }
}

extension HistoryRun {
    /// How long an operator takes to see what `/readyz` says.
    private static let reactions = Duration.seconds(5) ... .seconds(180)
    private static let attemptsMaximum = 100

    func saveSnapshots() async throws {
        while world.loop.uptime < history.span {
            world.snapshots.save(at: world.loop.uptime)
            try await world.loop.sleep(until: world.loop.uptime + StoreSnapshots.interval)
        }
    }

    func storeGoesBack(by age: Duration) async {
        // A rebuild trusts the store at its end, whatever it lost meanwhile.
        guard !repairs.isRunning else { return }
        guard let moment = world.snapshots.goBack(to: world.loop.uptime - age) else { return }
        record.loseRecords(since: moment, at: world.loop.uptime)
        guard repairs.want() else { return }
        while repairs.isNeeded {
            let count = repairs.count
            await repair()
            repairs.finish(count)
        }
    }

    /// As an operator does: again until the services are ready.
    private func repair() async {
        for _ in 0..<HistoryRun.attemptsMaximum {
            let seam = fleet.newSeam("rebuild")
            await world.pause(seam.duration(HistoryRun.reactions))
            guard world.witness.isDoubtful || !world.registryUse.isReady else { return }
            repairs.isRunning = true
            defer { repairs.isRunning = false }
            do {
                try await PipelineParts(seam).rebuild()
                record.endLoss(at: world.loop.uptime)
            } catch {
                world.trace.note(world.loop.uptime, event: "\(seam.name) failed: \(error)")
            }
        }
    }
}
