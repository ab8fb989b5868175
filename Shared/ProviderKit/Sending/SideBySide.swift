/// Work on several things at once, where a failure of one is no reason to break off the others.
enum SideBySide {
    /// Returns when all have ended, and throws then if one has failed: a task group that throws would cancel the rest, and
    /// what they have on its way to a provider would end as unknown and be sent again.
    static func run<Item: Sendable, End: Sendable>(
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
}
