import ServiceKit

/// Reads the members of one object. Every name that is read is allowed; `rejectUnknown` reports the others. A null
/// member counts as absent. Each error is added to `problems` with its path, and reading continues.
///
/// Not thread-safe; used by one function that reads the document. Its generic functions are specialized in other modules
/// because they are inlinable, which takes effect only if every type in them is usable from inline.
@usableFromInline package final class JSONFields {
    /// Computed when there is a problem: most objects have none.
    private enum Place {
        case path(String)
        case member(String, of: JSONFields)
    }

    package let problems: JSONProblems
    private let place: Place
    private let object: JSONObject
    /// In the order in which they were read; a name that was read twice is in it twice.
    private var known: [String] = []

    /// Any value other than an object is a problem and is read as an empty object.
    package convenience init(_ value: JSON, path: String = "", problems: JSONProblems) {
        self.init(value, at: .path(path), problems: problems)
    }

    private init(_ value: JSON, at place: Place, problems: JSONProblems) {
        self.place = place
        self.problems = problems
        object = value.object ?? JSONObject()
        if value.object == nil { problems.add(path, message: "expected an object, got \(value.kind)") }
    }

    /// Nil, and a problem, for a value other than an object.
    static func ofObject(_ value: JSON, path: String, problems: JSONProblems) -> JSONFields? {
        let fields = JSONFields(value, path: path, problems: problems)
        return value.object == nil ? nil : fields
    }

    package var path: String {
        switch place {
        case .path(let path): path
        case .member(let name, let fields): fields.path(of: name)
        }
    }

    /// Names in the document that were neither read nor allowed.
    package var unknownNames: [String] { object.members.lazy.map(\.name).filter { !self.isKnown($0) } }

    /// Call after all members are read. `explain` may return a specific message for a name.
    package func rejectUnknown(_ explain: (String) -> String? = { _ in nil }) {
        for (name, _) in object.members {
            guard !problems.isFull else { return }
            guard !isKnown(name) else { continue }
            let message = explain(name) ?? "unknown field" + problems.advice(on: name, among: known.withoutRepeats)
            problems.add(path(of: OutsideText.excerpt(name)), message: message)
        }
    }

    @usableFromInline package func reject(_ name: String, message: String) {
        problems.add(path(of: name), message: message)
    }

    @usableFromInline func rejectMissing(_ name: String, expected: String) {
        problems.add(path(of: name), missing: expected)
    }

    /// Allows names without reading them.
    package func allow(_ names: some Sequence<String>) {
        for name in names { allow(name) }
    }

    /// Objects have few fields, so a list of their names is faster than a set.
    private func allow(_ name: String) {
        if known.isEmpty { known.reserveCapacity(16) }
        known.append(name)
    }

    /// Bytewise, as names are compared in JSON.
    private func isKnown(_ name: String) -> Bool {
        known.contains { $0.utf8.count == name.utf8.count && $0.utf8.elementsEqual(name.utf8) }
    }

    package func has(_ name: String) -> Bool {
        member(name) != nil
    }

    /// A value of any kind. `expected` completes "expected …"; `convert` returns nil for an invalid value.
    @inlinable package func value<Value>(
        _ name: String, expected: @autoclosure () -> String, isRequired: Bool = false, convert: (JSON) -> Value?
    ) -> Value? {
        guard let member = member(name) else {
            if isRequired { rejectMissing(name, expected: expected()) }
            return nil
        }
        if let value = convert(member) { return value }
        reject(name, message: "expected \(expected())")
        return nil
    }

    package func bool(_ name: String) -> Bool? {
        value(name, expected: "true or false") { value in
            guard case .bool(let bool) = value else { return nil }
            return bool
        }
    }

    package func integer(_ name: String, in range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
        value(
            name, expected: "an integer from \(range.lowerBound) to \(range.upperBound)", isRequired: isRequired
        ) { value in
            guard case .integer(let integer) = value, let number = Int(exactly: integer), range.contains(number) else {
                return nil
            }
            return number
        }
    }

    package func number(_ name: String, in range: ClosedRange<Double>, expected: String) -> Double? {
        value(name, expected: expected) { value in
            let number: Double? =
                switch value {
                case .integer(let number): Double(number)
                case .number(let number): number
                default: nil
                }
            return number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package func text(_ name: String, bytesMaximum: Int = 1_024, isRequired: Bool = false) -> String? {
        text(name, expected: "a string of 1 to \(bytesMaximum) bytes", isRequired: isRequired) { text in
            1...bytesMaximum ~= text.utf8.count ? text : nil
        }
    }

    /// A value in string form.
    @inlinable package func text<Value>(
        _ name: String, expected: @autoclosure () -> String, isRequired: Bool = false, convert: (String) -> Value?
    ) -> Value? {
        value(name, expected: expected(), isRequired: isRequired) { $0.text.flatMap(convert) }
    }

    package func object(_ name: String, isRequired: Bool = false) -> JSONFields? {
        guard let value = value(name, expected: "an object", isRequired: isRequired, convert: { $0 }) else {
            return nil
        }
        let fields = JSONFields(value, at: .member(name, of: self), problems: problems)
        return value.object == nil ? nil : fields
    }

    /// The elements of an array with their paths; empty if it is absent or its count is out of range.
    package func elements(
        _ name: String, countMinimum: Int = 0, countMaximum: Int, isRequired: Bool = false
    ) -> JSONElements {
        let elements = value(
            name,
            expected: "an array of "
                + (countMinimum == 0 ? "at most \(countMaximum)" : "\(countMinimum) to \(countMaximum)") + " elements",
            isRequired: isRequired
        ) { value in
            value.elements.flatMap { countMinimum...countMaximum ~= $0.count ? $0 : nil }
        }
        guard let elements else { return JSONElements([], path: "", problems: problems) }
        return JSONElements(elements, path: path(of: name), problems: problems)
    }

    @usableFromInline func member(_ name: String) -> JSON? {
        allow(name)
        guard let value = object[name], value != .null else { return nil }
        return value
    }

    private func path(of name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}

extension [String] {
    fileprivate var withoutRepeats: [String] {
        reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}
