/// Suggestions for mistyped names.
package enum Spelling {
    /// No real name is longer, and the cost of a comparison grows with the length.
    private static let lengthMaximum = 64

    /// Ends an error about an unknown word with the nearest known one, or with all of them.
    package static func advice(_ word: String, among known: [String]) -> String {
        if let nearest = nearest(to: word, among: known) { return "; did you mean \(nearest)?" }
        return known.isEmpty ? "; there are none" : "; there are: \(known.joined(separator: ", "))"
    }

    /// The nearest known word; nil when none is near enough.
    package static func nearest(to word: String, among known: [String]) -> String? {
        guard word.utf8.count <= lengthMaximum else { return nil }
        return nearest(to: word, among: known, within: max(1, min(3, word.count / 3)))
    }

    /// The nearest known word within `limit` corrections, or nil.
    package static func nearest(to word: String, among known: [String], within limit: Int) -> String? {
        guard word.utf8.count <= lengthMaximum else { return nil }
        return known.map { ($0, distance(word, $0)) }.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// Number of insertions, removals, replacements and swaps of neighbors that turn one word into the other.
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var before: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var best = min(
                    above[column] + (left[row] == right[column] ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, above) = (above, current)
        }
        return above[right.count]
    }
}
