extension Array where Element: Sendable {
    /// Returns the results in the order of the elements; at most `atOnce` bodies run concurrently.
    ///
    /// Never inlined: within a caller that does nothing else it crashes the optimizer of Swift 6.3.
    @inline(never) package func concurrentMap<Result: Sendable>(
        atOnce: Int, _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        guard count > 1 else {
            var results: [Result] = []
            for element in self { results.append(try await body(element)) }
            return results
        }
        return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results = [Result?](repeating: nil, count: count)
            var next = 0
            func addTask() {
                let place = next
                group.addTask { (place, try await body(self[place])) }
                next += 1
            }
            while next < Swift.min(atOnce, count) { addTask() }
            for try await (place, result) in group {
                results[place] = result
                if next < count { addTask() }
            }
            return results.compactMap { $0 }
        }
    }
}
