import ServiceKit

/// Declaration of an option for parsing and help. The command interprets the value.
package struct CommandOption: Sendable {
    /// Including its dashes, such as `--limit`.
    package let name: String
    /// Placeholder of the value in the help; nil for a switch.
    package let placeholder: String?
    package let isRepeatable: Bool
    package let meaning: String

    package init(_ name: String, value placeholder: String? = nil, isRepeatable: Bool = false, meaning: String) {
        self.name = name
        self.placeholder = placeholder
        self.isRepeatable = isRepeatable
        self.meaning = meaning
    }
}

/// Arguments of a command, parsed against its options.
package struct CommandArguments: Sendable {
    package private(set) var operands: [String] = []
    private var given: [String: [String]] = [:]

    /// Accepts `--name VALUE`, `--name=VALUE`, switches and operands; everything after `--` is an operand.
    package init(_ words: [String], options: [CommandOption]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                throw UsageError("unknown option \(parts[0])" + Spelling.advice(parts[0], among: options.map(\.name)))
            }
            let value = try CommandArguments.value(of: option, attached: parts.dropFirst().first, &rest)
            guard option.isRepeatable || given[option.name] == nil else {
                throw UsageError("\(option.name) is given more than once")
            }
            given[option.name, default: []].append(value)
        }
    }

    /// A switch has an empty value.
    private static func value(
        of option: CommandOption, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let placeholder = option.placeholder else {
            guard attached == nil else { throw UsageError("\(option.name) takes no value") }
            return ""
        }
        // A missing value must not consume the following option.
        let next = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
        guard let value = attached ?? next, !value.isEmpty else {
            throw UsageError("\(option.name) requires a value: \(option.name) \(placeholder)")
        }
        if attached == nil { rest.removeFirst() }
        return value
    }

    package func has(_ option: CommandOption) -> Bool {
        given[option.name] != nil
    }

    package func value(_ option: CommandOption) -> String? {
        given[option.name]?.first
    }

    package func values(_ option: CommandOption) -> [String] {
        given[option.name] ?? []
    }

    package func integer(
        _ option: CommandOption, default fallback: Int, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let text = value(option) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(option.name) \(text): expected an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func duration(
        _ option: CommandOption, default fallback: Duration, in range: ClosedRange<Duration>
    ) throws(UsageError) -> Duration {
        guard let text = value(option) else { return fallback }
        guard let duration = DurationText.parse(text), range.contains(duration) else {
            let bounds = "\(DurationText.print(range.lowerBound)) to \(DurationText.print(range.upperBound))"
            throw UsageError("\(option.name) \(text): expected a duration from \(bounds), such as 500ms or 2m")
        }
        return duration
    }

    package func bytes(
        _ option: CommandOption, default fallback: Int, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let text = value(option) else { return fallback }
        guard let count = ByteText.parse(text), range.contains(count) else {
            let bounds = "\(ByteText.print(range.lowerBound)) to \(ByteText.print(range.upperBound))"
            throw UsageError("\(option.name) \(text): expected a size from \(bounds), such as 512MiB or 2GiB")
        }
        return count
    }
}

/// An invalid command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
