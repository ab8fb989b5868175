import JSONKit
import ServiceKit
import TaskModel

/// Fills in `${var.name}`, `${data.name}` and `${event.name}` when an event is accepted. Values are not expanded again,
/// and a `${` without an end stays, as in pushd.
struct EventTemplate {
    /// The only name of the tasks' own templates that events use; it stands for a literal `${`.
    static let markName = "mark"
    static let mark = "${"

    let event: String
    let variables: [String: String]
    let data: JSONObject

    /// The text in the form of a task's text, which has templates of its own.
    func filled(_ text: String, field: String) throws(EventDrop) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let start = EventTemplate.firstMark(in: rest),
            let end = rest[start...].firstIndex(of: "}")
        {
            result += rest[..<start]
            let reference = String(rest[rest.index(start, offsetBy: EventTemplate.mark.count)..<end])
            result += try value(of: reference, field: field).unicodeScalars
            guard result.count <= LocalizedText.bytesMaximum else { throw EventTemplate.tooLong(field) }
            rest = rest[rest.index(after: end)...]
        }
        result += rest
        let text = String(result).replacing(EventTemplate.mark, with: "${var.\(EventTemplate.markName)}")
        guard text.utf8.count <= LocalizedText.bytesMaximum else { throw EventTemplate.tooLong(field) }
        return text
    }

    private static func tooLong(_ field: String) -> EventDrop {
        EventDrop(.invalidValue, because: "\(field) has more than \(LocalizedText.bytesMaximum) bytes")
    }

    private static func firstMark(in text: Substring.UnicodeScalarView) -> String.Index? {
        var rest = text
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "{" { return dollar }
        }
        return nil
    }

    private func value(of reference: String, field: String) throws(EventDrop) -> String {
        let parts = reference.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.count == 2 ? String(parts[1]) : ""
        let value: String? =
            switch parts.first {
            case "var": variables[name]
            case "data": data[name]?.text
            case "event": name == "name" ? event : nil
            default: nil
            }
        guard let value else {
            throw EventDrop(
                .template, because: "\(field) refers to ${\(OutsideText.excerpt(reference))}, which the event lacks")
        }
        return value
    }
}
