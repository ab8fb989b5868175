/// Helps who mistyped a name.
package enum Spelling {
    /// The end of a sentence about an unknown word: the nearest known one, or all of them.
    package static func advice(_ word: String, among known: [String]) -> String {
        if let nearest = nearest(to: word, among: known) { return "; did you mean \(nearest)?" }
        return known.isEmpty ? "; there are none" : "; there are: \(known.joined(separator: ", "))"
    }

    /// Nil when none is near enough to be meant.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let limit = max(1, min(3, word.count / 3))
        return known.map { ($0, distance(word, $0)) }.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// Characters to insert, remove or replace on the way from one to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (character == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
