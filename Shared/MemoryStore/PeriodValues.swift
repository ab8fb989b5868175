import Store

/// Sums of one period by dimension and value, with the bounds of the statistics.
struct PeriodValues<Sums: Sendable>: Sendable {
    private var names: Set<[UInt8]> = []
    private var values: [StatisticsDimension: [[UInt8]: Sums]] = [:]

    mutating func add(
        _ dimension: StatisticsDimension, value: String, startingWith none: Sums, change: (inout Sums) -> Void
    ) {
        if case .label(let name) = dimension, !names.contains(Array(name.utf8)) {
            guard names.count < StatisticsBounds.labelNamesMaximum else { return }
            names.insert(Array(name.utf8))
        }
        let known = values[dimension, default: [:]]
        let value = Array(value.utf8)
        let isCounted = known[value] != nil || known.count < StatisticsBounds.valuesMaximum
        let field = isCounted ? value : Array(StatisticsBounds.other.utf8)
        change(&values[dimension, default: [:]][field, default: none])
    }

    subscript(dimension: StatisticsDimension) -> [[UInt8]: Sums] { values[dimension] ?? [:] }
}
