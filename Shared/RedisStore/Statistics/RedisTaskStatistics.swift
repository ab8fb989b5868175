import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The statistics in Redis.
package struct RedisTaskStatistics: TaskStatistics {
    /// Periods that are read together, where each has few values, and where it may have a thousand.
    private static let shortPeriodsAtOnce = 64
    private static let longPeriodsAtOnce = 8

    private let redis: StoreConnection
    private let time: any TimeSource
    private let dayRetention: Duration

    package init(
        _ redis: StoreConnection, time: any TimeSource, dayRetention: Duration = StatisticsBounds.dayRetention
    ) {
        self.redis = redis
        self.time = time
        self.dayRetention = dayRetention
    }

    package func fold(_ task: CountedTask) async throws(StoreError) -> Bool {
        let dayEnd = end(of: .day, task: task, retention: dayRetention)
        guard let dayEnd else { return false }
        let hourEnd = end(of: .hour, task: task, retention: min(StatisticsBounds.hourRetention, dayRetention))
        let keys = StatisticsKeys(task.app, at: task.begins)
        let names = StatisticsKeys.names(in: task.parts.map(\.dimension))
        let intervals: [StatisticsInterval] = hourEnd == nil ? [.day] : [.day, .hour]
        let answer = try await redis.run(
            StatisticsScripts.fold,
            keys: [keys.memory(of: task.task, begun: task.begins)]
                + intervals.flatMap { keys.period($0, at: task.begins).keys(names) },
            arguments: [
                RedisArgument(time.now.milliseconds), RedisArgument(task.task.bytes),
                RedisArgument(task.closed.milliseconds), RedisArgument(dayEnd.milliseconds),
                hourEnd.map { RedisArgument($0.milliseconds) } ?? "", RedisArgument(names.count),
                RedisArgument(StatisticsBounds.other),
            ] + names.map { RedisArgument($0) } + task.parts.flatMap { RedisTaskStatistics.arguments($0, names: names) }
        )
        return answer == .integer(1)
    }

    package func read(_ selection: StatisticsSelection) async throws(StoreError) -> StatisticsPage {
        let reading = StatisticsReading(of: selection.dimension, values: selection.values)
        let atOnce =
            reading.isLong ? RedisTaskStatistics.longPeriodsAtOnce : RedisTaskStatistics.shortPeriodsAtOnce
        var page = StatisticsPage()
        for periods in selection.periods.chunks(of: atOnce) {
            let answers = try await redis.send(
                periods.map { start in
                    let keys = StatisticsKeys(selection.app, at: start)
                    return reading.command(keys.period(selection.interval, at: start))
                })
            for (start, answer) in zip(periods, answers) {
                let values = try RedisTaskStatistics.values(reading.entries(answer))
                guard page.append(values, at: start, rowsMaximum: selection.rowsMaximum) else { return page }
            }
        }
        return page
    }

    /// When the period of the task expires; nil if that has passed.
    private func end(of interval: StatisticsInterval, task: CountedTask, retention: Duration) -> Timestamp? {
        let end = interval.start(of: task.begins) + interval.length + retention
        return end > time.now ? end : nil
    }

    /// Place of the key in a period, field, and sums without zeros at the end, since most tasks have few outcomes.
    private static func arguments(_ part: CountedTask.Part, names: [String]) -> [RedisArgument] {
        var sums = [1] + OutcomeCounts.states.map { part.outcomes[$0] }
        while sums.last == 0 { sums.removeLast() }
        return [
            RedisArgument(StatisticsKeys.number(of: part.dimension, names: names)),
            RedisArgument(StatisticsKeys.prefix(of: part.dimension) + part.value),
            RedisArgument(sums.map { String($0) }.joined(separator: ",")),
        ]
    }

    private static func values(
        _ entries: [(value: [UInt8], sums: String)]
    ) throws(StoreError) -> [(value: String, sums: StatisticsSums)] {
        try entries.map { entry throws(StoreError) in
            guard let sums = sums(entry.sums) else {
                throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode sums of the statistics")
            }
            return (OutsideText.replacing(entry.value), sums)
        }
    }

    /// Outcomes that only a later version has are left out.
    private static func sums(_ text: String) -> StatisticsSums? {
        let numbers = text.split(separator: ",").map { Int($0) }
        guard !numbers.isEmpty, !numbers.contains(nil) else { return nil }
        var sums = StatisticsSums()
        sums.tasks = numbers[0] ?? 0
        for (state, number) in zip(OutcomeCounts.states, numbers.dropFirst()) { sums.outcomes[state] = number ?? 0 }
        return sums
    }
}
