import ServiceKit

/// Reads the members of one object. Every name that is read is allowed; `rejectUnknown` reports the others. A null
/// member counts as absent. Each error is added to `problems` with its path, and reading continues.
///
/// Not thread-safe; used by one function that reads the document.
package final class JSONFields {
    package let path: String
    package let problems: JSONProblems
    private let object: JSONObject
    /// In the order in which they were read.
    private var known: [String] = []
    private var isKnown: Set<String> = []

    /// Any value other than an object is a problem and is read as an empty object.
    package init(_ value: JSON, path: String = "", problems: JSONProblems) {
        self.path = path
        self.problems = problems
        object = value.object ?? JSONObject()
        if value.object == nil { problems.add(path, message: "expected an object, got \(value.kind)") }
    }

    /// Nil, and a problem, for a value other than an object.
    static func ofObject(_ value: JSON, path: String, problems: JSONProblems) -> JSONFields? {
        let fields = JSONFields(value, path: path, problems: problems)
        return value.object == nil ? nil : fields
    }

    /// Names in the document that were neither read nor allowed.
    package var unknownNames: [String] { object.members.lazy.map(\.name).filter { !self.isKnown.contains($0) } }

    /// Call after all members are read. `explain` may return a specific message for a name.
    package func rejectUnknown(_ explain: (String) -> String? = { _ in nil }) {
        for (name, _) in object.members {
            guard !problems.isFull else { return }
            guard !isKnown.contains(name) else { continue }
            let message = explain(name) ?? "unknown field" + problems.advice(on: name, among: known)
            problems.add(path(of: OutsideText.excerpt(name)), message: message)
        }
    }

    package func reject(_ name: String, message: String) {
        problems.add(path(of: name), message: message)
    }

    /// Allows names without reading them.
    package func allow(_ names: some Sequence<String>) {
        for name in names { allow(name) }
    }

    private func allow(_ name: String) {
        if isKnown.insert(name).inserted { known.append(name) }
    }

    package func has(_ name: String) -> Bool {
        member(name) != nil
    }

    /// A value of any kind. `expected` completes "expected …"; `convert` returns nil for an invalid value.
    package func value<Value>(
        _ name: String, expected: String, isRequired: Bool = false, convert: (JSON) -> Value?
    ) -> Value? {
        guard let member = member(name) else {
            if isRequired { reject(name, message: "missing; expected \(expected)") }
            return nil
        }
        if let value = convert(member) { return value }
        reject(name, message: "expected \(expected)")
        return nil
    }

    package func bool(_ name: String) -> Bool? {
        value(name, expected: "true or false") { value in
            guard case .bool(let bool) = value else { return nil }
            return bool
        }
    }

    package func integer(_ name: String, in range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
        let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
        return value(name, expected: expected, isRequired: isRequired) { value in
            guard case .integer(let integer) = value, let number = Int(exactly: integer), range.contains(number) else {
                return nil
            }
            return number
        }
    }

    package func text(_ name: String, bytesMaximum: Int = 1_024, isRequired: Bool = false) -> String? {
        text(name, expected: "a string of 1 to \(bytesMaximum) bytes", isRequired: isRequired) { text in
            1...bytesMaximum ~= text.utf8.count ? text : nil
        }
    }

    /// A value in string form.
    package func text<Value>(
        _ name: String, expected: String, isRequired: Bool = false, convert: (String) -> Value?
    ) -> Value? {
        value(name, expected: expected, isRequired: isRequired) { $0.text.flatMap(convert) }
    }

    package func object(_ name: String, isRequired: Bool = false) -> JSONFields? {
        guard let value = value(name, expected: "an object", isRequired: isRequired, convert: { $0 }) else {
            return nil
        }
        return JSONFields.ofObject(value, path: path(of: name), problems: problems)
    }

    /// The elements of an array with their paths; empty if it is absent or its count is out of range.
    package func elements(
        _ name: String, countMinimum: Int = 0, countMaximum: Int, isRequired: Bool = false
    ) -> JSONElements {
        let range = countMinimum == 0 ? "at most \(countMaximum)" : "\(countMinimum) to \(countMaximum)"
        let elements = value(name, expected: "an array of \(range) elements", isRequired: isRequired) { value in
            value.elements.flatMap { countMinimum...countMaximum ~= $0.count ? $0 : nil }
        }
        return JSONElements(elements ?? [], path: path(of: name), problems: problems)
    }

    private func member(_ name: String) -> JSON? {
        allow(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    private func path(of name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}
