import Bus
import ServiceKit
import Topics

struct SimulatedProducer: BusProducer {
    let base: any BusProducer
    let seam: Seam

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        let faults = seam.world.faults
        guard await seam.reach("bus.send", faults: faults) else { throw SimulatedProducer.killed }
        if seam.chance(faults.busRefusals) {
            throw BusError(.unavailable, message: "refused by the simulation")
        }
        if seam.world.bug == .outputsBeforeDurable, seam.chance(20) { return SimulatedProducer.positions(messages) }
        let positions = try await base.send(messages.filter { !isForgotten($0) })
        guard await seam.reach("bus.sent", faults: faults) else { throw SimulatedProducer.killed }
        if seam.chance(faults.lostBusAnswers) { throw BusError(.unavailable, message: "the answer was lost") }
        return positions
    }

    func close() async {
        await base.close()
    }

    /// A resolver makes no other tasks than those of mirrors.
    private func isForgotten(_ message: OutgoingMessage) -> Bool {
        seam.world.bug == .mirrorForgotten && seam.name.hasPrefix(Role.resolver.rawValue)
            && Topics.tasks.declaration.channels.contains(message.channel)
    }

    private static let killed = BusError(.unavailable, message: "the process was killed")

    private static func positions(_ messages: [OutgoingMessage]) -> [MessagePosition] {
        messages.map { _ in MessagePosition(partition: 0, offset: nil) }
    }
}
