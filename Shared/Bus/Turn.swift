import ServiceKit

/// One pass of some messages of a delivery through the handler: their admission at the gate of the process and the
/// counts of their starts. Belongs to one task.
final class Turn {
    let delivery: Delivery
    let messages: [IncomingMessage]
    let pulse: Pulse
    private let isAlone: Bool
    private let gate: HandlingGate?
    /// Nil if starts are not counted.
    private let counts: StartCounts?
    private var isInside = false
    private var wasInside = false

    /// Without a gate the turn neither waits nor counts.
    init(
        _ delivery: Delivery, messages: [IncomingMessage], pulse: Pulse, isAlone: Bool = false, gate: HandlingGate?,
        counts: StartCounts?
    ) {
        self.delivery = delivery
        self.messages = messages
        self.pulse = pulse
        self.isAlone = isAlone
        self.gate = gate
        self.counts = counts
    }

    private var offsets: [Int64] { messages.map(\.offset) }

    /// Waits at the gate, then counts a start of each message. Returns the earlier counts; empty if already inside.
    ///
    /// If any of several messages has earlier starts, nothing was counted, and the caller leaves again.
    @discardableResult
    func enter() async -> [Int] {
        guard !isInside else { return [] }
        isInside = true
        // Waiting for other handlers does not make this one stuck.
        pulse.rest()
        await gate?.enter(alone: isAlone)
        pulse.tick()
        let isRepeated = wasInside
        wasInside = true
        return await counts?.begin(offsets, of: delivery.partition, regardless: isAlone || isRepeated) ?? []
    }

    /// The messages are not being handled: during a pause, or because they are handled elsewhere.
    func leave() async {
        guard isInside else { return }
        isInside = false
        await counts?.giveBack(offsets, of: delivery.partition)
        gate?.leave()
    }

    /// The messages are done, or returned to the bus.
    func finish(isDone: Bool) async {
        if isDone { await counts?.end(offsets, of: delivery.partition) }
        await leave()
    }
}
