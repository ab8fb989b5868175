package import ServiceKit

/// Runs work on all items concurrently. Returns when all have ended, and then throws if one has failed: a throwing task
/// group would cancel the rest, and their pushes in flight would end as unknown and be sent again.
func runAll<Item: Sendable, End: Sendable>(
    _ items: [Item], work: @escaping @Sendable (Item) async throws -> End
) async throws -> [End] {
    let ends = await withTaskGroup(of: Result<End, any Error>.self) { group in
        for item in items {
            group.addTask {
                do {
                    return .success(try await work(item))
                } catch {
                    return .failure(error)
                }
            }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
    return try ends.map { try $0.get() }
}

/// Runs work on all items concurrently, and calls `onPulse` each time the interval has passed while it waits for some.
/// The calls of `ended` and `onPulse` follow one another.
package func runAll<Item: Sendable, End: Sendable>(
    _ items: [Item], pulse interval: Duration, time: any TimeSource, work: @escaping @Sendable (Item) async -> End,
    ended: (End) -> Void, onPulse: () async -> Void
) async {
    @Sendable func pulse() async -> End? {
        try? await time.sleep(for: interval)
        return nil
    }
    await withTaskGroup(of: End?.self) { group in
        for item in items {
            group.addTask { await work(item) }
        }
        group.addTask(operation: pulse)
        var rest = items.count
        while rest > 0, let step = await group.next() {
            if let end = step {
                ended(end)
                rest -= 1
            } else {
                await onPulse()
                group.addTask(operation: pulse)
            }
        }
        group.cancelAll()
    }
}
