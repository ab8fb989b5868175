import ServiceKit
import Topics

struct TaskMeters: Sendable {
    let abandoned: Counter
    let untraced: Counter
    let uncounted: Counter
    private let reported: [Lane: Counter]
    private let duration: Gauge

    init(_ metrics: Metrics) {
        abandoned = metrics.counter(.reporterTasksAbandoned)
        uncounted = metrics.counter(.reporterTasksUncounted)
        untraced = metrics.counter(.reporterTasksUntraced)
        reported = Dictionary(
            uniqueKeysWithValues: Lane.allCases.map { lane in
                (lane, metrics.counter(.reporterTasksReported, labels: ["lane": lane.rawValue]))
            })
        duration = metrics.gauge(.reporterTaskDuration)
    }

    func note(_ report: TaskReport) {
        reported[report.lane]?.increment()
        if let taken = report.completionTime { duration.set(Int(taken.wholeMilliseconds)) }
    }
}
