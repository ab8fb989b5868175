import JSONKit
import ServiceKit
import TaskModel

/// Fills in `${var.name}` and `${data.name}`. Values are not expanded again, so a literal `${` can be written as the
/// value of a variable.
struct TextTemplate: Sendable {
    /// The payload limit of providers; a short text may use a long variable many times.
    static let bytesMaximum = 4_096

    let variables: [String: String]
    let data: JSONObject

    /// Throws for a `${…}` without a value, since readers would see it literally.
    func filled(_ text: String, path: String) throws(RenderingError) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var result = ""
        var rest = text.unicodeScalars[...]
        while let start = TextTemplate.firstMark(in: rest) {
            result.unicodeScalars.append(contentsOf: rest[..<start])
            let inside = rest[rest.index(start, offsetBy: 2)...]
            guard let end = inside.firstIndex(of: "}") else {
                throw RenderingError(path, message: "unterminated ${; add a }")
            }
            result += try value(of: String(inside[..<end]), path)
            guard result.utf8.count <= TextTemplate.bytesMaximum else {
                let limit = TextTemplate.bytesMaximum
                throw RenderingError(
                    path, message: "too long: more than \(limit) bytes after variables are filled in; shorten them")
            }
            rest = inside[inside.index(after: end)...]
        }
        result.unicodeScalars.append(contentsOf: rest)
        return result
    }

    private static func firstMark(in text: Substring.UnicodeScalarView) -> String.Index? {
        var rest = text
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "{" { return dollar }
        }
        return nil
    }

    private func value(of reference: String, _ path: String) throws(RenderingError) -> String {
        let shown = OutsideText.excerpt(reference)
        let name = reference.prefixRemoved("var.")
        if let name {
            if let value = variables[name] { return value }
            throw RenderingError(path, message: "unknown variable ${\(shown)}; add it to variables")
        }
        guard let name = reference.prefixRemoved("data.") else {
            throw RenderingError(path, message: "unknown variable ${\(shown)}; expected ${var.name} or ${data.name}")
        }
        switch data[name] {
        case .string(let text): return text
        case .bool(let value): return value ? "true" : "false"
        case .integer, .unsigned, .number: return data[name]?.compactText ?? ""
        case .array, .object, .null:
            throw RenderingError(path, message: "expected a string, a number or a boolean as the value of ${\(shown)}")
        case nil:
            throw RenderingError(path, message: "unknown variable ${\(shown)}; add it to message.data")
        }
    }
}

extension String {
    fileprivate func prefixRemoved(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
