/// One element of a list.
package struct JSONElement {
    package let value: JSON
    package let problems: JSONProblems
    fileprivate let listPath: String
    fileprivate let index: Int

    /// Under which its mistakes are reported. Made when it is needed: a list may have 250,000 elements.
    package var path: String { "\(listPath)[\(index)]" }

    /// As an object.
    package var fields: JSONFields { JSONFields(value, path: path, problems: problems) }

    /// `expected` completes "must be …".
    package func value<Value>(expected: String, _ convert: (JSON) -> Value?) -> Value? {
        if let converted = convert(value) { return converted }
        problems.add(path, "must be \(expected)")
        return nil
    }

    package func text<Value>(expected: String, _ convert: (String) -> Value?) -> Value? {
        value(expected: expected) { $0.text.flatMap(convert) }
    }
}

/// The elements of a list, one after the other. Ends early when no further problem is kept: the document is refused then,
/// whatever else is in it.
package struct JSONElements: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate let elements: JSONElements
        fileprivate var index = 0

        package mutating func next() -> JSONElement? {
            guard index < elements.values.count, !elements.problems.isFull else { return nil }
            defer { index += 1 }
            return JSONElement(
                value: elements.values[index], problems: elements.problems, listPath: elements.listPath, index: index)
        }
    }

    fileprivate let values: [JSON]
    fileprivate let listPath: String
    fileprivate let problems: JSONProblems

    init(values: [JSON], listPath: String, problems: JSONProblems) {
        self.values = values
        self.listPath = listPath
        self.problems = problems
    }

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }

    package func makeIterator() -> Iterator {
        Iterator(elements: self)
    }
}
