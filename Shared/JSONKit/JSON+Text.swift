import ServiceKit

extension JSON {
    /// The document in indented lines with a final line break, for files that people edit.
    package var indentedText: String { lines(indent: "") + "\n" }

    /// The value on one line without whitespace.
    package var compactText: String { String(decoding: compactBytes, as: UTF8.self) }

    package var compactBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let value): JSONText.quote(value, into: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in object.members.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.quote(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .null, .bool, .integer, .unsigned, .number: bytes.append(contentsOf: lines(indent: "").utf8)
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
            return JSON.block("[", parts: elements.map { $0.lines(indent: deeper) }, end: "]", indent: indent)
        case .object(let object):
            guard !object.members.isEmpty else { return "{}" }
            let members = object.members.map { "\(JSONText.quoted($0.name)): \($0.value.lines(indent: deeper))" }
            return JSON.block("{", parts: members, end: "}", indent: indent)
        }
    }

    private var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private static func block(_ start: String, parts: [String], end: String, indent: String) -> String {
        "\(start)\n" + parts.map { "\(indent)  \($0)" }.joined(separator: ",\n") + "\n\(indent)\(end)"
    }
}
