/// Counts by name, up to a number of names; further names are counted together.
///
/// Names are kept as 64-bit hashes, which makes a million tokens cost some 30 MB instead of 200: two of a million share
/// a hash once in thirty million runs.
struct CountTable {
    private let namesMaximum: Int
    private var counts: [Int: UInt32] = [:]
    /// Counted for names beyond the maximum.
    private(set) var untracked = 0
    /// The largest count of one name.
    private(set) var largest = 0

    init(namesMaximum: Int) {
        self.namesMaximum = namesMaximum
    }

    var names: Int { counts.count }

    subscript(name: String) -> Int {
        Int(counts[name.hashValue] ?? 0)
    }

    mutating func count(_ name: String) {
        let key = name.hashValue
        if counts.count == namesMaximum && counts[key] == nil {
            untracked += 1
            return
        }
        let count = (counts[key] ?? 0) &+ 1
        counts[key] = count
        largest = max(largest, Int(count))
    }
}
