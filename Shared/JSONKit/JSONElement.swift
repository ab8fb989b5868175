/// One element of an array.
package struct JSONElement {
    package let value: JSON
    package let problems: JSONProblems
    private let list: String
    private let index: Int

    init(value: JSON, list: String, index: Int, problems: JSONProblems) {
        self.value = value
        self.list = list
        self.index = index
        self.problems = problems
    }

    package var path: String { "\(list)[\(index)]" }

    /// The element as an object; nil, and a problem, for any other value.
    package var fields: JSONFields? { JSONFields.ofObject(value, path: path, problems: problems) }

    /// `expected` completes "expected …".
    package func value<Value>(expected: String, _ convert: (JSON) -> Value?) -> Value? {
        if let converted = convert(value) { return converted }
        problems.add(path, message: "expected \(expected)")
        return nil
    }

    package func text<Value>(expected: String, _ convert: (String) -> Value?) -> Value? {
        value(expected: expected) { $0.text.flatMap(convert) }
    }
}
