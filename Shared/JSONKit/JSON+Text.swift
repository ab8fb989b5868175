import ServiceKit

extension JSON {
    /// The document with indented lines, as people edit it, ended by a line break.
    package var indentedText: String { lines(indent: "") + "\n" }

    /// The value on one line without blanks, as machines send it.
    package var compactText: String {
        switch self {
        case .array(let elements): "[" + elements.map(\.compactText).joined(separator: ",") + "]"
        case .object(let object):
            "{" + object.members.map { "\(JSONText.quoted($0.name)):\($0.value.compactText)" }.joined(separator: ",")
                + "}"
        default: lines(indent: "")
        }
    }

    private func lines(indent: String) -> String {
        let deeper = indent + "  "
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .number(let value): return value.isFinite ? String(value) : "null"
        case .string(let value): return JSONText.quoted(value)
        case .array(let elements):
            guard elements.contains(where: { $0.isContainer }) else {
                return "[" + elements.map { $0.lines(indent: deeper) }.joined(separator: ", ") + "]"
            }
            return JSON.block("[", elements.map { $0.lines(indent: deeper) }, "]", indent: indent)
        case .object(let object):
            guard !object.members.isEmpty else { return "{}" }
            let members = object.members.map { "\(JSONText.quoted($0.name)): \($0.value.lines(indent: deeper))" }
            return JSON.block("{", members, "}", indent: indent)
        }
    }

    private var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private static func block(_ start: String, _ parts: [String], _ end: String, indent: String) -> String {
        "\(start)\n" + parts.map { "\(indent)  \($0)" }.joined(separator: ",\n") + "\n\(indent)\(end)"
    }
}
