/// A value by which tasks are counted, such as one of their topics.
package struct StatisticsPlace: Hashable, Sendable {
    package let dimension: StatisticsDimension
    package let value: String

    package init(_ dimension: StatisticsDimension, value: String) {
        self.dimension = dimension
        self.value = value
    }
}
