package import PushModel
package import ServiceKit

package struct StatisticsRow: Hashable, Sendable {
    /// The beginning of the period.
    package let time: Timestamp
    package let value: String
    package let sums: StatisticsSums

    package init(time: Timestamp, value: String, sums: StatisticsSums) {
        self.time = time
        self.value = value
        self.sums = sums
    }
}

/// Whole periods in rising order, and in each the values in the order of their bytes. Periods without tasks have no
/// row.
package struct StatisticsPage: Hashable, Sendable {
    package private(set) var rows: [StatisticsRow] = []
    /// The first period that did not fit; nil if all did.
    package private(set) var next: Timestamp?

    package init() {}

    /// False, and the page is full, if the rows of the period do not fit.
    package mutating func append(
        _ period: [(value: String, sums: StatisticsSums)], at time: Timestamp, rowsMaximum: Int
    ) -> Bool {
        guard rows.isEmpty || rows.count + period.count <= rowsMaximum else {
            next = time
            return false
        }
        rows += period.sorted { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }
            .map { StatisticsRow(time: time, value: $0.value, sums: $0.sums) }
        return true
    }

    /// The page with the receipts of its days, also in rows of their own, which may shorten it.
    package func adding(
        _ receipts: [UInt16: [[UInt8]: ReceiptCounts]], to selection: StatisticsSelection
    ) -> StatisticsPage {
        let tasks = Dictionary(grouping: rows) { $0.time }
        var page = StatisticsPage()
        for time in selection.periods where next.map({ time < $0 }) ?? true {
            var sums: [[UInt8]: StatisticsSums] = [:]
            for row in tasks[time] ?? [] { sums[Array(row.value.utf8)] = row.sums }
            for (value, counts) in receipts[ReceiptProof.day(of: time)] ?? [:] {
                sums[value, default: StatisticsSums()].receipts = counts
            }
            let period = sums.map { (value: OutsideText.replacing($0.key), sums: $0.value) }
            guard page.append(period, at: time, rowsMaximum: selection.rowsMaximum) else { return page }
        }
        page.next = next
        return page
    }
}

/// Of the tasks of one row.
package struct StatisticsSums: Hashable, Sendable {
    package var tasks = 0
    package var outcomes = OutcomeCounts()
    /// Also of tasks that are not closed yet. Known by day only.
    package var receipts = ReceiptCounts()

    package init() {}

    package mutating func add(_ outcomes: OutcomeCounts) {
        tasks += 1
        self.outcomes.add(outcomes)
    }
}
