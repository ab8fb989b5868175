/// Work that waits, in turns: each payer has a queue of its own, and the payers follow one another however much each of
/// them has brought. A value that runs nothing: its owner locks it.
struct FairQueue<Payer: Hashable & Sendable, Work> {
    private var queues: [Payer: [Work]] = [:]
    /// Who has work waiting, the next one first.
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
