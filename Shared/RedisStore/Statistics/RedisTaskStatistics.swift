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
    private let folds = GroupedCalls<CountedTask, Bool>()

    /// Tasks with the same keys are added together.
    private struct Place: Hashable {
        let app: AppID
        let hour: Timestamp
        let names: [String]

        init(_ task: CountedTask) {
            app = task.app
            hour = StatisticsInterval.hour.start(of: task.begins)
            names = StatisticsKeys.names(in: task.parts.map(\.dimension))
        }
    }

    package init(
        _ redis: StoreConnection, time: any TimeSource, dayRetention: Duration = StatisticsBounds.dayRetention
    ) {
        self.redis = redis
        self.time = time
        self.dayRetention = dayRetention
    }

    package func fold(_ task: CountedTask) async throws(StoreError) -> Bool {
        try await folds.call(task) { await fold($0) }
    }

    private func fold(_ tasks: [CountedTask]) async -> [Result<Bool, StoreError>] {
        var results = tasks.map { _ in Result<Bool, StoreError>.success(false) }
        let groups = tasks.indices.groups { Place(tasks[$0]) }
            .filter { end(of: .day, begins: tasks[$0[0]].begins, retention: dayRetention) != nil }
        let calls = groups.map { group in call(folding: group.map { tasks[$0] }, in: Place(tasks[group[0]])) }
        for (group, result) in zip(groups, await redis.runEach(calls)) {
            let flags = result.map { $0.array ?? [] }
            for (number, index) in group.enumerated() {
                results[index] = flags.map { number < $0.count && $0[number] == .integer(1) }
            }
        }
        return results
    }

    private func call(folding tasks: [CountedTask], in place: Place) -> ScriptCall {
        let (begins, names) = (tasks[0].begins, place.names)
        let dayEnd = end(of: .day, begins: begins, retention: dayRetention)
        let hourEnd = end(of: .hour, begins: begins, retention: min(StatisticsBounds.hourRetention, dayRetention))
        let keys = StatisticsKeys(place.app, at: begins)
        let intervals: [StatisticsInterval] = hourEnd == nil ? [.day] : [.day, .hour]
        return ScriptCall(
            StatisticsScripts.fold,
            keys: intervals.flatMap { keys.period($0, at: begins).keys(names) }
                + tasks.map { keys.memory(of: $0.task, begun: $0.begins) },
            arguments: [
                RedisArgument(time.now.milliseconds), dayEnd.map { RedisArgument($0.milliseconds) } ?? "",
                hourEnd.map { RedisArgument($0.milliseconds) } ?? "", RedisArgument(names.count),
                RedisArgument(StatisticsBounds.other),
            ] + names.map { RedisArgument($0) }
                + tasks.flatMap { RedisTaskStatistics.arguments($0, names: names) })
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
    private func end(of interval: StatisticsInterval, begins: Timestamp, retention: Duration) -> Timestamp? {
        let end = interval.start(of: begins) + interval.length + retention
        return end > time.now ? end : nil
    }

    private static func arguments(_ task: CountedTask, names: [String]) -> [RedisArgument] {
        [RedisArgument(task.task.bytes), RedisArgument(task.closed.milliseconds), RedisArgument(task.parts.count)]
            + task.parts.flatMap { arguments($0, names: names) }
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
