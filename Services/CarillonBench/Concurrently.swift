/// Runs numbered pieces of work with bounded concurrency.
enum Concurrently {
    /// Returns the results in the order of the numbers.
    static func run<Result: Sendable>(
        _ count: Int, atOnce: Int, body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        let lanes = max(1, min(atOnce, count))
        return try await withThrowingTaskGroup(of: [(Int, Result)].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var results: [(Int, Result)] = []
                    for number in stride(from: lane, to: count, by: lanes) {
                        results.append((number, try await body(number)))
                    }
                    return results
                }
            }
            var all: [(Int, Result)] = []
            all.reserveCapacity(count)
            for try await results in group { all += results }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
