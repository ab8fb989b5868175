import PushModel
package import ServiceKit
package import Store
import Synchronization

/// The statistics in memory.
package final class MemoryTaskStatistics: TaskStatistics, Revertible {
    private struct Period {
        /// When it got its first task.
        let since: Timestamp
        let end: Timestamp
        var values = PeriodValues<StatisticsSums>()

        mutating func add(_ part: CountedTask.Part) {
            values.add(part.dimension, value: part.value, startingWith: StatisticsSums()) { $0.add(part.outcomes) }
        }
    }

    private struct Place: Hashable {
        let app: AppID
        let interval: StatisticsInterval
        let start: Timestamp

        init(_ app: AppID, interval: StatisticsInterval, at moment: Timestamp) {
            self.app = app
            self.interval = interval
            start = interval.start(of: moment)
        }
    }

    private struct State {
        var periods: [Place: Period] = [:]
        /// With the time at which it is forgotten.
        var folded: [TaskID: Timestamp] = [:]

        mutating func forget(at now: Timestamp) {
            periods = periods.filter { now < $0.value.end }
            folded = folded.filter { now < $0.value }
        }
    }

    private let time: any TimeSource
    private let dayRetention: Duration
    private let state = Mutex(State())

    package init(time: any TimeSource, dayRetention: Duration = StatisticsBounds.dayRetention) {
        self.time = time
        self.dayRetention = dayRetention
    }

    package func fold(_ task: CountedTask) -> Bool {
        let now = time.now
        return state.withLock { state in
            state.forget(at: now)
            let day = Place(task.app, interval: .day, at: task.begins)
            let dayEnd = day.start + StatisticsInterval.day.length + dayRetention
            let oldest = now + (.zero - StatisticsBounds.memory)
            let isForgotten = task.closed < oldest && state.periods[day].map { $0.since < oldest } ?? false
            guard now < dayEnd, !isForgotten, state.folded[task.task] == nil else { return false }
            state.folded[task.task] = now + StatisticsBounds.memory
            let hour = Place(task.app, interval: .hour, at: task.begins)
            let hourEnd =
                hour.start + StatisticsInterval.hour.length + min(StatisticsBounds.hourRetention, dayRetention)
            for (place, end) in [(day, dayEnd), (hour, hourEnd)] where now < end {
                for part in task.parts { state.periods[place, default: Period(since: now, end: end)].add(part) }
            }
            return true
        }
    }

    package func read(_ selection: StatisticsSelection) -> StatisticsPage {
        let now = time.now
        let wanted = selection.values.map { Set($0.map { Array($0.utf8) }) }
        return state.withLock { state in
            state.forget(at: now)
            var page = StatisticsPage()
            for start in selection.periods {
                let place = Place(selection.app, interval: selection.interval, at: start)
                let all = state.periods[place]?.values[selection.dimension] ?? [:]
                let values = all.filter { wanted?.contains($0.key) ?? true }
                let texts = values.map { (value: OutsideText.replacing($0.key), sums: $0.value) }
                guard page.append(texts, at: start, rowsMaximum: selection.rowsMaximum) else { return page }
            }
            return page
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
