/// Remembers at least the last so many values, and forgets the rest in two generations, so that it never grows beyond
/// twice as many.
struct RecentSet {
    private let countMaximum: Int
    private var young: Set<Int> = []
    private var old: Set<Int> = []

    init(countMaximum: Int) {
        self.countMaximum = countMaximum
    }

    /// False when it was there already.
    mutating func insert(_ value: Int) -> Bool {
        if young.contains(value) || old.contains(value) { return false }
        if young.count == countMaximum {
            old = young
            young = []
        }
        young.insert(value)
        return true
    }
}
