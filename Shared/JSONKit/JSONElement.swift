/// One element of a list, with the path under which its mistakes are reported.
package struct JSONElement {
    package let value: JSON
    package let path: String
    package let problems: JSONProblems

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
