/// Helps who mistyped a name.
package enum Spelling {
    /// Nobody meant a name longer than this, and comparing one would cost time in proportion.
    private static let lengthMaximum = 64

    /// The end of a sentence about an unknown word: the nearest known one, or all of them.
    package static func advice(_ word: String, among known: [String]) -> String {
        if let nearest = nearest(to: word, among: known) { return "; did you mean \(nearest)?" }
        return known.isEmpty ? "; there are none" : "; there are: \(known.joined(separator: ", "))"
    }

    /// Nil when none is near enough to be meant.
    package static func nearest(to word: String, among known: [String]) -> String? {
        guard word.utf8.count <= lengthMaximum else { return nil }
        return nearest(to: word, among: known, within: max(1, min(3, word.count / 3)))
    }

    /// Nil when none is within so many corrections.
    package static func nearest(to word: String, among known: [String], within limit: Int) -> String? {
        guard word.utf8.count <= lengthMaximum else { return nil }
        return known.map { ($0, distance(word, $0)) }.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// Characters to insert, remove or replace, and neighbours to swap, on the way from one to the other.
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
