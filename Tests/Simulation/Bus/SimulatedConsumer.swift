import Bus
import ServiceKit
import Synchronization

/// A consumer whose completions reach the bus some time later, as with brokers: a killed process loses the last ones.
final class SimulatedConsumer: BusConsumer {
    private static let commitDelay = Duration.milliseconds(1_000)

    let base: any BusConsumer
    private let seam: Seam
    private let uncommitted = Mutex<[Delivery]>([])
    /// Everything it ever got, for a mistake that is planted.
    private let begun = Mutex<[Delivery]>([])

    init(base: any BusConsumer, seam: Seam) {
        self.base = base
        self.seam = seam
    }

    var mailbox: Mailbox { base.mailbox }
    var hasJoined: Bool { base.hasJoined }

    func next() async -> Delivery? {
        guard let delivery = await base.next() else { return nil }
        seam.world.note(bufferedBytes: mailbox.read { $0.bufferedBytes })
        guard await seam.reach("bus.next", faults: seam.world.faults) else { return nil }
        switch seam.world.bug {
        case .completionBeforeHandling: base.complete(delivery)
        case .staleMemberCompletes: begun.withLock { $0.append(delivery) }
        default: break
        }
        return delivery
    }

    func complete(_ delivery: Delivery) {
        guard !seam.gate.isDead else { return }
        let isFirst = uncommitted.withLock { deliveries in
            deliveries.append(delivery)
            return deliveries.count == 1
        }
        guard isFirst else { return }
        Task {
            try? await seam.clock.sleep(for: SimulatedConsumer.commitDelay)
            commit()
        }
    }

    func isCurrent(_ delivery: Delivery) -> Bool {
        !seam.gate.isDead && base.isCurrent(delivery)
    }

    func close() async {
        commit()
        guard !seam.gate.isDead else { return }
        await base.close()
    }

    /// The bus gives the partitions of a member that it has not heard from to others.
    func expel() async {
        if seam.world.bug == .staleMemberCompletes {
            for delivery in begun.withLock({ $0 }) { base.complete(delivery) }
        }
        await base.close()
    }

    private func commit() {
        guard !seam.gate.isDead else { return }
        for delivery in uncommitted.withLock({ deliveries in
            defer { deliveries = [] }
            return deliveries
        }) { base.complete(delivery) }
    }
}
