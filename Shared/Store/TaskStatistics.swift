package import ServiceKit

/// Sums of the outcomes of closed tasks, by app and by the hour and the day in which a task began.
package protocol TaskStatistics: Sendable {
    /// Adds a task to its hour and its day in one step; false for a task that was added before. A task that began
    /// longer ago than hours are kept is added to its day alone, and one from before all days to nothing.
    ///
    /// That a task was added is remembered for `StatisticsBounds.memory`. A task that was closed longer ago is added
    /// only to a day that is missing, or that began within that time: one that the store had lost.
    ///
    /// Throws `full` if the store is; callers then continue.
    func fold(_ task: CountedTask) async throws(StoreError) -> Bool
    func read(_ selection: StatisticsSelection) async throws(StoreError) -> StatisticsPage
}

package enum StatisticsBounds {
    /// How long hours are kept, from their end. Days are kept for as long as the operator configures.
    package static let hourRetention = Duration.seconds(7 * 86_400)
    package static let dayRetention = Duration.seconds(400 * 86_400)
    /// How long it is remembered at least that a task was added. Longer than a report waits for its publication.
    package static let memory = Duration.seconds(8 * 86_400)
    /// Different values of a dimension in a period; further ones are counted as `other`.
    package static let valuesMaximum = 1_000
    package static let other = "(other)"
    /// Different names of labels in a period; further ones are not counted.
    package static let labelNamesMaximum = 16
}

/// By what tasks are counted.
package enum StatisticsDimension: Hashable, Sendable {
    /// All tasks of the app; its only value is empty.
    case total
    case dialect
    case platform
    case topic
    case label(name: String)

    /// The campaigns and methods of tasks with a window. It counts as one of the names of labels, none of which may have
    /// this character.
    package static let cohort = StatisticsDimension.label(name: "#cohort")
}

package enum StatisticsInterval: Int64, Sendable {
    case hour = 3_600_000
    case day = 86_400_000

    package var length: Duration { .milliseconds(rawValue) }

    /// The beginning of the period of this time.
    package func start(of moment: Timestamp) -> Timestamp {
        Timestamp(milliseconds: max(0, moment.milliseconds) / rawValue * rawValue)
    }
}
