/// The elements of a list. Each is made when it is asked for, with its path: long lists are read once, and few of their
/// elements are wrong. Going through them ends early when no further problem is kept: the document is refused then,
/// whatever else is in it.
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
