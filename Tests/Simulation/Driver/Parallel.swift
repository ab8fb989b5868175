import Dispatch
import Synchronization

/// Uses all cores: each call has a thread, and with it a step loop, of its own.
enum Parallel {
    /// In the order of the elements.
    static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ body: @Sendable (Element) -> Result
    ) -> [Result] {
        let results = Mutex([Int: Result]())
        DispatchQueue.concurrentPerform(iterations: elements.count) { place in
            let result = body(elements[place])
            results.withLock { $0[place] = result }
        }
        return results.withLock { results in elements.indices.compactMap { results[$0] } }
    }
}
