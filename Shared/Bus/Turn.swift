import ServiceKit

/// The way of some messages of a delivery through the handler: their place at the process' gate, and the counts of their
/// starts. Belongs to one task.
final class Turn {
    let delivery: Delivery
    let messages: [IncomingMessage]
    let pulse: Pulse
    private let isAlone: Bool
    private let gate: HandlingGate?
    /// Nil where starts are not counted.
    private let counts: StartCounts?
    private var isInside = false
    private var wasInside = false

    /// Without a gate it neither waits nor counts.
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

    /// Waits at the gate, then counts a start of each message; how many were counted before. Nothing when it is inside.
    ///
    /// One that found earlier starts of several messages has counted none, and is left again.
    @discardableResult
    func enter() async -> [Int] {
        guard !isInside else { return [] }
        isInside = true
        // A wait for other handlers is not a stuck handler.
        pulse.rest()
        await gate?.enter(alone: isAlone)
        pulse.tick()
        let isRepeated = wasInside
        wasInside = true
        return await counts?.begin(offsets, of: delivery.partition, regardless: isAlone || isRepeated) ?? []
    }

    /// The messages are not handled for now, as during a pause, or not here.
    func leave() async {
        guard isInside else { return }
        isInside = false
        await counts?.giveBack(offsets, of: delivery.partition)
        gate?.leave()
    }

    /// The messages are handled, or returned to the bus.
    func finish(isDone: Bool) async {
        if isDone { await counts?.end(offsets, of: delivery.partition) }
        await leave()
    }
}
