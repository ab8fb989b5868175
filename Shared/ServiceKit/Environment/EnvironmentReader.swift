import Glibc

/// Reads a service's settings and records each variable read. The record yields the values, the `--help` text, and one
/// start-up error that lists all invalid variables.
package struct EnvironmentReader {
    /// One variable as `--help` shows it.
    package struct Variable: Sendable, Equatable {
        package let name: String
        package let defaultText: String
        package let meaning: String
    }

    package private(set) var variables: [Variable] = []
    package private(set) var problems: [ConfigurationError.Problem] = []
    let environment: [String: String]
    /// Every name that was looked up, including `…_FILE` names of secrets.
    private(set) var known: Set<String> = []

    /// An empty value counts as unset: compose files and charts pass on variables that have no value.
    package init(_ environment: [String: String]) {
        self.environment = environment.filter { !$0.value.isEmpty }
    }

    /// The environment of this process.
    package static func processEnvironment() -> [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let line = OutsideText.replacing(cString: text)
            if let equals = line.firstIndex(of: "=") {
                result[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
            entry += 1
        }
        return result
    }

    /// Throws if any variable read so far is invalid.
    package func finish() throws(ConfigurationError) {
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// True if a value is set; used for a default that depends on other variables.
    package func isSet(_ name: String) -> Bool {
        environment[name] != nil
    }

    /// Adds a problem that concerns several variables, such as two that contradict each other.
    package mutating func reject(_ variable: String, problem: String, fix: String) {
        problems.append(.init(variable: variable, problem: problem, fix: fix))
    }

    package mutating func text(_ name: String, default value: String, meaning: String) -> String {
        declare(name, defaultText: value, meaning: meaning)
        return environment[name] ?? value
    }

    package mutating func optionalText(_ name: String, meaning: String) -> String? {
        declare(name, defaultText: "", meaning: meaning)
        return environment[name]
    }

    /// The path of a file or folder that must exist when the process starts.
    package mutating func file(_ name: String, meaning: String) -> String? {
        guard let path = optionalText(name, meaning: meaning) else { return nil }
        if access(path, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            reject(
                name, problem: "\(path) cannot be read: \(reason)",
                fix: "name an existing file that this user can read")
        }
        return path
    }

    /// A host name or address, without scheme, port and path.
    package mutating func host(_ name: String, default value: String, meaning: String) -> String {
        parse(
            name, default: value, text: value, meaning: meaning,
            expected: "a host name or address, such as \(value)"
        ) {
            let isName = !$0.isEmpty && $0.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
            return isName || IPAddress($0) != nil ? $0 : nil
        }
    }

    /// A secret can also be read from a file (`NAME_FILE`), which keeps it out of process listings. Nil if neither is
    /// set or both are empty.
    package mutating func secret(_ name: String, meaning: String) -> Secret? {
        declare(name, defaultText: "", meaning: meaning + " \(name)_FILE names a file that holds it.")
        known.insert(name + "_FILE")
        let value = environment[name]
        guard let path = environment[name + "_FILE"] else { return value.map { Secret($0) } }
        if value != nil {
            reject(name, problem: "\(name)_FILE is set as well", fix: "set one of the two")
            return nil
        }
        guard let bytes = SmallFile.read(path, bytesMaximum: 64 * 1024),
            var text = OutsideText.string(bytes)
        else {
            reject(
                name + "_FILE", problem: "no readable text file at \(path)",
                fix: "name a text file that this user can read")
            return nil
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else {
            reject(name + "_FILE", problem: "the file at \(path) is empty", fix: "write the secret into it")
            return nil
        }
        return Secret(text)
    }

    /// `text` describes a default that differs from machine to machine.
    package mutating func integer(
        _ name: String, default value: Int, text: String? = nil, in range: ClosedRange<Int>, meaning: String
    ) -> Int {
        let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
        return parse(name, default: value, text: text ?? String(value), meaning: meaning, expected: expected) {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package mutating func duration(
        _ name: String, default value: Duration, in range: ClosedRange<Duration>, meaning: String
    ) -> Duration {
        let expected = """
            a duration from \(DurationText.print(range.lowerBound)) to \(DurationText.print(range.upperBound)), \
            such as 250ms, 30s, 5m or 12h
            """
        return parse(name, default: value, text: DurationText.print(value), meaning: meaning, expected: expected) {
            DurationText.parse($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// `text` describes a default that differs from machine to machine.
    package mutating func bytes(
        _ name: String, default value: Int, text: String? = nil, in range: ClosedRange<Int>, meaning: String
    ) -> Int {
        let expected = """
            a size from \(ByteText.print(range.lowerBound)) to \(ByteText.print(range.upperBound)), \
            such as 512KiB, 64MiB or 2GiB
            """
        return parse(name, default: value, text: text ?? ByteText.print(value), meaning: meaning, expected: expected) {
            ByteText.parse($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads a value of any other kind; `expected` is a noun phrase, as in "set it to …".
    package mutating func parse<Value>(
        _ name: String, default value: Value, text: String, meaning: String, expected: String,
        convert: (String) -> Value?
    ) -> Value {
        declare(name, defaultText: text, meaning: meaning)
        guard let given = environment[name] else { return value }
        guard let converted = convert(given) else {
            reject(
                name, problem: "\"\(given)\" is not \(expected)",
                fix: "set it to \(expected), or unset it to use \(text)")
            return value
        }
        return converted
    }

    private mutating func declare(_ name: String, defaultText: String, meaning: String) {
        precondition(!variables.contains { $0.name == name }, "\(name) is read twice")
        variables.append(Variable(name: name, defaultText: defaultText, meaning: meaning))
        known.insert(name)
    }
}
