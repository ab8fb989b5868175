package import PushModel
package import ServiceKit

/// What is read: the periods that begin from `from` until before `to`.
package struct StatisticsSelection: Hashable, Sendable {
    package let app: AppID
    package let dimension: StatisticsDimension
    /// The values of the dimension that are read, at least one; nil for all.
    package let values: [String]?
    package let interval: StatisticsInterval
    package let from: Timestamp
    package let to: Timestamp
    package let rowsMaximum: Int

    package init(
        of app: AppID, by dimension: StatisticsDimension, values: [String]? = nil, interval: StatisticsInterval,
        from: Timestamp, to: Timestamp, rowsMaximum: Int
    ) {
        self.app = app
        self.dimension = dimension
        self.values = values
        self.interval = interval
        self.from = from
        self.to = to
        self.rowsMaximum = rowsMaximum
    }

    package var periods: [Timestamp] {
        let first = interval.start(of: from).milliseconds
        let start = first < from.milliseconds ? first + interval.rawValue : first
        return stride(from: start, to: to.milliseconds, by: Int(interval.rawValue)).map { Timestamp(milliseconds: $0) }
    }
}
