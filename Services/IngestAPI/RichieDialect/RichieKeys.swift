import JSONKit
import PushModel
import ServiceKit

/// The documented keys of a notification, and what each of them may be. They stand in one object, or where clients of
/// different ages look for them, in that one and the one around it.
struct RichieKeys {
    struct Place {
        let path: String
        let object: JSONObject
    }

    private struct Rule: Sendable {
        /// Completes "must be …".
        let expected: String
        let isMet: @Sendable (JSON) -> Bool
    }

    static let taskID = "task_id"
    static var documented: Set<String> { Set(rules.keys) }
    static let issueKeys: Set = ["issue-guid", "issue-page", "issue-title", "issue-product-tag"]
    private static let pages: ClosedRange<Int64> = 1...99_999
    private static let addressBytesMaximum = 2_048

    private let places: [Place]
    private let problems: JSONProblems

    /// The innermost place first.
    init(_ places: [Place], _ problems: JSONProblems) {
        self.places = places
        self.problems = problems
    }

    func check() {
        for place in places {
            for (name, value) in place.object.members {
                guard !problems.isFull else { return }
                check(name, value, in: place)
            }
        }
        guard let first = places.first, !has("body") else { return }
        problems.add("\(first.path).body", "is missing; it must be a text that is not empty")
    }

    /// What is accepted and yet may not do what its sender expects.
    var warnings: [JSONProblems.Problem] {
        guard !has("tab-id") else { return [] }
        var warnings: [JSONProblems.Problem] = []
        if let path = path(of: "external-browser-url"), has("publisher-item-id") {
            let message = "stands beside publisher-item-id, and apps open only one of them; leave one out"
            warnings.append(JSONProblems.Problem(path: path, message: message))
        }
        if let path = path(of: "issue-page"), !has("issue-guid"), !has("issue-title") {
            let message = "is a page of no issue; add issue-guid or issue-title"
            warnings.append(JSONProblems.Problem(path: path, message: message))
        }
        return warnings
    }

    private func check(_ name: String, _ value: JSON, in place: Place) {
        let path = "\(place.path).\(OutsideText.excerpt(name))"
        guard let rule = RichieKeys.rules[name] else { return checkAddition(name, value, path) }
        if let other = places.first(where: { $0.object[name] != nil }), other.path != place.path {
            problems.add(path, "stands in \(other.path) as well; keep one of them")
        } else if !rule.isMet(value) {
            problems.add(path, "must be \(rule.expected)")
        }
    }

    /// A key of the publisher's own, for analytics.
    private func checkAddition(_ name: String, _ value: JSON, _ path: String) {
        if name == RichieKeys.taskID {
            problems.add(path, "is given by the service; choose another name")
        } else if name == "content-available" {
            problems.add(path, "is for iOS alone, directly under aps")
        } else if name.isEmpty || name.utf8.contains(UInt8(ascii: "-")) {
            let advice = problems.advice(on: name, among: RichieKeys.rules.keys.sorted())
            problems.add(path, "is no documented key, and additional keys cannot have dashes" + advice)
        } else if value.object != nil || value.elements != nil || value == .null {
            problems.add(path, "must be a text, a number, true or false: nested keys are not supported")
        }
    }

    private func has(_ name: String) -> Bool {
        path(of: name) != nil
    }

    private func path(of name: String) -> String? {
        places.first { $0.object[name] != nil }.map { "\($0.path).\(name)" }
    }

    private static let rules: [String: Rule] = [
        "title": Rule(expected: "a text") { $0.text != nil },
        "body": text, "publisher-item-id": text, "issue-title": text, "issue-product-tag": text, "tab-id": text,
        "external-browser-url": Rule(
            expected: "a full https address of at most \(addressBytesMaximum) bytes",
            isMet: { $0.text.map(isHTTPSAddress) ?? false }),
        "issue-guid": Rule(expected: "a UUID such as 2258b0e6-6748-46c2-8e67-0893c0542fbb") {
            $0.text.flatMap { TaskID($0) } != nil
        },
        "issue-page": Rule(expected: "a whole number from \(pages.lowerBound) to \(pages.upperBound)") { value in
            guard case .integer(let page) = value else { return false }
            return pages.contains(page)
        },
    ]

    private static let text = Rule(expected: "a text that is not empty") { $0.text?.isEmpty == false }

    private static func isHTTPSAddress(_ text: String) -> Bool {
        guard text.utf8.count <= addressBytesMaximum, text.prefix(8).lowercased() == "https://" else { return false }
        let rest = text.dropFirst(8)
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return !host.isEmpty && !host.hasPrefix(":") && rest.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}
