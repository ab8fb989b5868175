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
    /// A rebuild of five tasks has up to about so many.
    private static let effectsMaximum: UInt64 = 60

    func saveSnapshots() async throws {
        while world.loop.uptime < history.span {
            world.snapshots.save(at: world.loop.uptime)
            try await world.loop.sleep(until: world.loop.uptime + StoreSnapshots.interval)
        }
    }

    func storeGoesBack(by age: Duration) async {
        guard let moment = world.snapshots.goBack(to: world.loop.uptime - age) else { return }
        record.loseRecords(since: moment, at: world.loop.uptime)
        guard repairs.want() else { return }
        while repairs.isNeeded {
            let count = repairs.count
            await repair()
            repairs.finish(count)
        }
    }

    /// A rebuild may be killed in the middle, or the stores may go back once more.
    private func disturb(_ rebuild: Seam) async {
        let effects = Int(rebuild.seed() % HistoryRun.effectsMaximum)
        if rebuild.chance(20) {
            await rebuild.interrupt(after: effects, orAfter: .seconds(20)) { $0.kill() }
        } else if rebuild.chance(40) {
            let age = rebuild.duration(.zero ... .seconds(20))
            await rebuild.interrupt(after: effects, orAfter: .seconds(20)) { _ in }
            await storeGoesBack(by: age)
        }
    }

    /// As an operator does: again until the services are ready.
    private func repair() async {
        for _ in 0..<HistoryRun.attemptsMaximum {
            let seam = fleet.newSeam("rebuild")
            await world.pause(seam.duration(HistoryRun.reactions))
            guard world.witness.epoch.isDoubtful || !world.registryUse.isReady else { return }
            let losses = repairs.count
            Task { await disturb(seam) }
            do {
                try await PipelineParts(seam).rebuild()
                // The doubt about a later loss remains, though its services may not have noticed it yet.
                if repairs.count == losses { record.endLoss(at: world.loop.uptime) }
            } catch {
                world.trace.note(world.loop.milliseconds, event: "\(seam.name) failed: \(error)")
            }
        }
    }
}
