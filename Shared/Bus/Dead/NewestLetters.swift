/// The newest letters of all partitions, sorted by time and position.
package struct NewestLetters {
    package private(set) var count = 0
    private let limit: Int
    private var kept: [DeadPosition: ListedLetter] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func add(_ letter: ListedLetter) {
        count += 1
        kept[letter.position] = letter
        // Trimmed only at twice the limit, so that not every letter costs a sort.
        guard kept.count >= 2 * limit else { return }
        kept = Dictionary(uniqueKeysWithValues: sorted.map { ($0.position, $0) })
    }

    package func contains(_ position: DeadPosition) -> Bool { kept[position] != nil }

    package var sorted: [ListedLetter] {
        Array(
            kept.values.sorted { ($0.deadLettered, $0.position) < ($1.deadLettered, $1.position) }.suffix(limit))
    }
}
