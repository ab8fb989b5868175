package import PushModel
package import ServiceKit

/// What a closed task adds to the statistics.
package struct CountedTask: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package let dimension: StatisticsDimension
        package let value: String
        package let outcomes: OutcomeCounts

        package init(_ dimension: StatisticsDimension, value: String, outcomes: OutcomeCounts) {
            self.dimension = dimension
            self.value = value
            self.outcomes = outcomes
        }
    }

    package let task: TaskID
    package let app: AppID
    package let begins: Timestamp
    package let closed: Timestamp
    package let parts: [Part]

    package init(_ task: TaskID, of app: AppID, begins: Timestamp, closed: Timestamp, parts: [Part]) {
        self.task = task
        self.app = app
        self.begins = begins
        self.closed = closed
        self.parts = parts
    }
}
