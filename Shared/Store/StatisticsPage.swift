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

/// Whole periods in rising order, and in each the values in the order of their bytes. Periods without tasks have no row.
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
}

/// Of the tasks of one row.
package struct StatisticsSums: Hashable, Sendable {
    package var tasks = 0
    package var outcomes = OutcomeCounts()

    package init() {}

    package mutating func add(_ outcomes: OutcomeCounts) {
        tasks += 1
        self.outcomes.add(outcomes)
    }
}
