/// The newest letters of all partitions, sorted by time and position.
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
        // Trimmed only at twice the limit, so that not every letter costs a sort.
        if kept.count >= 2 * limit { kept = sorted }
    }

    var sorted: [ListedLetter] {
        Array(kept.sorted { ($0.deadLettered, $0.position) < ($1.deadLettered, $1.position) }.suffix(limit))
    }
}
