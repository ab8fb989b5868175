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
