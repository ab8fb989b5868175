/// A round-robin queue: each payer has its own queue, and payers take turns regardless of how much work each has. A
/// plain value without synchronization: its owner locks it.
struct FairQueue<Payer: Hashable & Sendable, Work> {
    private var queues: [Payer: [Work]] = [:]
    /// Payers with waiting work, the next one first.
    private var turns: [Payer] = []

    var isEmpty: Bool { turns.isEmpty }

    mutating func add(_ work: Work, of payer: Payer) {
        if queues[payer] == nil { turns.append(payer) }
        queues[payer, default: []].append(work)
    }

    /// The oldest work of the payer whose turn it is; the payer then waits for the others.
    mutating func next() -> Work? {
        guard !turns.isEmpty else { return nil }
        let payer = turns.removeFirst()
        guard var queue = queues.removeValue(forKey: payer), !queue.isEmpty else { return nil }
        let work = queue.removeFirst()
        if !queue.isEmpty {
            queues[payer] = queue
            turns.append(payer)
        }
        return work
    }
}
