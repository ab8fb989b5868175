/// The newest letters over all partitions, of which each is shown in its own order.
struct NewestLetters {
    private(set) var count = 0
    private let limit: Int
    private var kept: [ListedLetter] = []

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ letter: ListedLetter) {
        count += 1
        kept.append(letter)
        // Twice the limit before it is cut, so that not every letter costs a sort.
        if kept.count >= 2 * limit { kept = sorted }
    }

    var sorted: [ListedLetter] {
        Array(kept.sorted { ($0.buried, $0.position) < ($1.buried, $1.position) }.suffix(limit))
    }
}
