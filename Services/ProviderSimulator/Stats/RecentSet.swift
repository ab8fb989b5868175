/// Remembers at least the last `countMaximum` values, in two generations, so that it never grows beyond twice as many.
struct RecentSet {
    private let countMaximum: Int
    private var young: Set<Int> = []
    private var old: Set<Int> = []

    init(countMaximum: Int) {
        self.countMaximum = countMaximum
    }

    /// Returns false if the value was already there.
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
