/// A least-recently-used cache bounded by cost. The newest value stays, whatever it costs.
package struct RecentlyUsed<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        var cost: Int
        var use: UInt64
    }

    package let costMaximum: Int
    package private(set) var cost = 0
    private var entries: [Key: Entry] = [:]
    /// All uses in order; for a key used again only the last counts.
    private var uses = Queue<(key: Key, use: UInt64)>()
    private var lastUse: UInt64 = 0

    package init(costMaximum: Int) {
        self.costMaximum = costMaximum
    }

    package var count: Int { entries.count }

    /// Marks the value as used.
    package mutating func value(for key: Key) -> Value? {
        guard let entry = entries[key] else { return nil }
        set(entry.value, cost: entry.cost, for: key)
        return entry.value
    }

    /// Marks the value as used, and updates its cost.
    package mutating func value(for key: Key, cost: (Value) -> Int) -> Value? {
        guard let value = entries[key]?.value else { return nil }
        set(value, cost: cost(value), for: key)
        return value
    }

    package mutating func set(_ value: Value, cost: Int = 1, for key: Key) {
        lastUse += 1
        self.cost += cost - (entries[key]?.cost ?? 0)
        entries[key] = Entry(value: value, cost: cost, use: lastUse)
        uses.append((key, lastUse))
        while self.cost > costMaximum, entries.count > 1 { removeOldest() }
        if uses.count > 64 + 4 * entries.count { forgetPassedUses() }
    }

    package mutating func remove(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        cost -= entry.cost
    }

    private mutating func removeOldest() {
        guard let oldest = uses.popFirst(), let entry = entries[oldest.key], entry.use == oldest.use else { return }
        cost -= entry.cost
        entries[oldest.key] = nil
    }

    private mutating func forgetPassedUses() {
        uses = Queue()
        for (key, entry) in entries.sorted(by: { $0.value.use < $1.value.use }) { uses.append((key, entry.use)) }
    }
}
