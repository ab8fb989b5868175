package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// The receipts in memory.
package final class MemoryTaskReceipts: TaskReceipts, Revertible {
    private struct Key: Hashable {
        let task: TaskID
        let day: UInt16
    }

    private struct Day: Hashable {
        let app: AppID
        let day: UInt16
    }

    private struct Counted {
        let places: [StatisticsPlace]
        var fingerprints: Set<UInt64> = []
        var counts = ReceiptCounts()
    }

    private struct State {
        var tasks: [Key: Counted] = [:]
        var days: [Day: PeriodValues<ReceiptCounts>] = [:]
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    package init(time: any TimeSource) {
        self.time = time
    }

    package func count(_ receipts: [ReceiptMark], of task: ReceiptTask) -> ReceiptCounts {
        state.withLock { state in
            let key = Key(task: task.task, day: task.day)
            var counted = ReceiptCounts()
            for mark in receipts {
                var known = state.tasks[key] ?? Counted(places: task.places)
                guard known.fingerprints.insert(mark.fingerprint(in: task.task)).inserted else { continue }
                known.counts[mark.kind] += 1
                state.tasks[key] = known
                counted[mark.kind] += 1
                for place in [
                    StatisticsPlace(.total, value: ""), StatisticsPlace(.platform, value: mark.platform.rawValue),
                ] + task.places {
                    state.days[Day(app: task.app, day: task.day), default: PeriodValues()].add(
                        place.dimension, value: place.value, startingWith: ReceiptCounts()
                    ) { $0[mark.kind] += 1 }
                }
            }
            return counted
        }
    }

    package func counts(of task: TaskID, days: ClosedRange<UInt16>) -> ReceiptCounts {
        withKept { state in
            days.reduce(into: ReceiptCounts()) {
                $0 += state.tasks[Key(task: task, day: $1)]?.counts ?? ReceiptCounts()
            }
        }
    }

    package func places(of task: TaskID, day: UInt16) -> [StatisticsPlace]? {
        withKept { $0.tasks[Key(task: task, day: day)]?.places }
    }

    package func sums(
        of app: AppID, by dimension: StatisticsDimension, values: [String]? = nil, days: [UInt16]
    ) -> [UInt16: [[UInt8]: ReceiptCounts]] {
        let wanted = values.map { Set($0.map { Array($0.utf8) }) }
        return withKept { state in
            days.reduce(into: [:]) { sums, day in
                let all = state.days[Day(app: app, day: day)]?[dimension]
                sums[day] = all?.filter { wanted?.contains($0.key) ?? true }
            }
        }
    }

    private func withKept<Result>(_ body: (State) -> Result) -> Result {
        let now = time.now
        return state.withLock { state in
            state.tasks = state.tasks.filter { now < TaskReceiptBounds.end(of: $0.key.day) }
            state.days = state.days.filter {
                now < ReceiptProof.begin(of: $0.key.day) + .seconds(86_400) + StatisticsBounds.dayRetention
            }
            return body(state)
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
