/// The elements of an array, created lazily with their paths: long arrays are read once, and few elements are invalid.
/// Iteration ends early once `problems` is full, because the document is refused anyway.
package struct JSONElements: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate let elements: JSONElements
        fileprivate var index = 0

        package mutating func next() -> JSONElement? {
            guard index < elements.count, !elements.problems.isFull else { return nil }
            defer { index += 1 }
            return JSONElement(
                value: elements.values[index], list: elements.path, index: index, problems: elements.problems)
        }
    }

    fileprivate let values: [JSON]
    fileprivate let path: String
    fileprivate let problems: JSONProblems

    init(_ values: [JSON], path: String, problems: JSONProblems) {
        self.values = values
        self.path = path
        self.problems = problems
    }

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }

    package func makeIterator() -> Iterator {
        Iterator(elements: self)
    }
}
