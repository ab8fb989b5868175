import ServiceKit
import TestSupport
import Testing

@Suite struct RecentlyUsedTests {
    @Test func whatWasUsedLongestAgoGoesFirst() {
        var values = RecentlyUsed<String, Int>(costMaximum: 30)
        for (number, name) in ["a", "b", "c"].enumerated() { values.set(number, cost: 10, for: name) }
        let used = values.value(for: "a") { _ in 10 }
        #expect(used == 0)
        values.set(3, cost: 10, for: "d")
        let kept = ["a", "b", "c", "d"].map { name in values.value(for: name) { _ in 10 } }
        #expect(kept == [0, nil, 2, 3])
        #expect(values.cost == 30)
    }

    @Test func aValueThatGrewPushesOthersOut() {
        var values = RecentlyUsed<String, Int>(costMaximum: 30)
        for name in ["a", "b", "c"] { values.set(0, cost: 10, for: name) }
        let grown = values.value(for: "a") { _ in 25 }
        #expect(grown == 0)
        #expect(values.count == 1)
        #expect(values.cost == 25)
    }

    @Test func theNewestStaysWhateverItCosts() {
        var values = RecentlyUsed<String, Int>(costMaximum: 30)
        values.set(1, cost: 10, for: "a")
        values.set(2, cost: 100, for: "b")
        let kept = ["a", "b"].map { name in values.value(for: name) { _ in 100 } }
        #expect(kept == [nil, 2])
    }

    @Test func whatIsRemovedCostsNothing() {
        var values = RecentlyUsed<String, Int>(costMaximum: 2)
        for (number, name) in ["a", "b"].enumerated() { values.set(number, for: name) }
        values.remove("a")
        values.remove("a")
        #expect(values.cost == 1)
        values.set(2, for: "c")
        values.set(3, for: "a")
        let kept = ["a", "b", "c"].map { values.value(for: $0) }
        #expect(kept == [3, nil, 2])
    }

    /// Compares the cache with a plain list kept in order of use.
    @Test(arguments: Dice.seeds) func itKeepsWhatAListWouldKeep(seed: UInt64) {
        var dice = Dice(seed: seed)
        var values = RecentlyUsed<Int, Int>(costMaximum: 50)
        var list: [(key: Int, cost: Int)] = []
        for step in 0..<2_000 {
            let key = dice.number(below: 20)
            let cost = 1 + dice.number(below: 15)
            let isKnown = list.contains { $0.key == key }
            if dice.number(below: 3) == 0 {
                values.set(step, cost: cost, for: key)
            } else {
                let value = values.value(for: key) { _ in cost }
                #expect((value != nil) == isKnown)
                guard isKnown else { continue }
            }
            list.removeAll { $0.key == key }
            list.append((key, cost))
            while list.reduce(0, { $0 + $1.cost }) > 50, list.count > 1 { list.removeFirst() }
            #expect(values.count == list.count)
            #expect(values.cost == list.reduce(0) { $0 + $1.cost })
        }
    }
}
