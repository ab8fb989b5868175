package import ServiceKit

/// Runs work on all items concurrently, and calls `onInterval` each time the interval has passed while it waits for
/// some; not in a cancelled task, in which nothing can sleep. The calls of `onEnd` and `onInterval` follow one another.
package func runAll<Item: Sendable, End: Sendable>(
    _ items: [Item], every interval: Duration, time: any TimeSource, work: @escaping @Sendable (Item) async -> End,
    onEnd: (End) -> Void, onInterval: () async -> Void
) async {
    await withTaskGroup(of: RunStep<End>.self) { group in
        @Sendable func sleep() async -> RunStep<End> {
            do {
                try await time.sleep(for: interval)
                return .interval
            } catch {
                return .cancelled
            }
        }
        for item in items {
            group.addTask { .end(await work(item)) }
        }
        group.addTask(operation: sleep)
        var rest = items.count
        while rest > 0, let step = await group.next() {
            switch step {
            case .end(let end):
                onEnd(end)
                rest -= 1
            case .interval:
                await onInterval()
                group.addTask(operation: sleep)
            case .cancelled: break
            }
        }
        group.cancelAll()
    }
}

private enum RunStep<End: Sendable>: Sendable {
    case end(End)
    case interval
    case cancelled
}
