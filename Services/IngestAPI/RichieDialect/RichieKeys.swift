import JSONKit
import PushModel
import ServiceKit

/// The documented keys of a notification and their rules. They are in one object or, for clients of different versions,
/// in that object and the one around it.
struct RichieKeys {
    struct Place {
        let path: String
        let object: JSONObject
    }

    private struct Rule: Sendable {
        /// Completes "expected …".
        let expected: String
        let isMet: @Sendable (JSON) -> Bool
    }

    static let taskID = "task_id"
    static var documented: Set<String> { Set(documentedRules.keys) }
    static let issueKeys: Set = ["issue-guid", "issue-page", "issue-title", "issue-product-tag"]
    private static let pages: ClosedRange<Int64> = 1...99_999

    private let places: [Place]
    private let rules: [String: Rule]
    private let isApple: Bool
    private let problems: JSONProblems

    /// The innermost place first. Apple's alert contains the names defined by Apple in addition to the documented ones.
    init(_ places: [Place], isApple: Bool, problems: JSONProblems) {
        self.places = places
        self.isApple = isApple
        self.problems = problems
        rules = isApple ? RichieKeys.appleAlertRules : RichieKeys.documentedRules
    }

    func check() {
        for place in places {
            for (name, value) in place.object.members {
                guard !problems.isFull else { return }
                check(name, value, in: place)
            }
        }
        // Apple's `loc-key` refers to a body text in the app.
        guard let first = places.first, !has("body"), !isApple || !has("loc-key") else { return }
        problems.add("\(first.path).body", message: "missing; expected a non-empty string")
    }

    /// Accepted keys that may not have the effect that the publisher expects.
    var warnings: [JSONProblems.Problem] {
        guard !has("tab-id") else { return [] }
        var warnings: [JSONProblems.Problem] = []
        if let path = path(of: "external-browser-url"), has("publisher-item-id") {
            let message = "set together with publisher-item-id, and apps open only one of them; remove one"
            warnings.append(JSONProblems.Problem(path: path, message: message))
        }
        if let path = path(of: "issue-page"), !has("issue-guid"), !has("issue-title") {
            let message = "the page has no issue; add issue-guid or issue-title"
            warnings.append(JSONProblems.Problem(path: path, message: message))
        }
        return warnings
    }

    private func check(_ name: String, _ value: JSON, in place: Place) {
        let path = "\(place.path).\(OutsideText.excerpt(name))"
        guard let rule = rules[name] else { return checkAddition(name, value: value, path: path) }
        if let other = places.first(where: { $0.object[name] != nil }), other.path != place.path {
            problems.add(path, message: "also set in \(other.path); keep only one of them")
        } else if !rule.isMet(value) {
            problems.add(path, message: "expected \(rule.expected)")
        }
    }

    /// An additional key of the publisher, for analytics.
    private func checkAddition(_ name: String, value: JSON, path: String) {
        if name == RichieKeys.taskID {
            problems.add(path, message: "set by the service; choose another name")
        } else if name == "content-available" {
            problems.add(path, message: "only for iOS, directly under aps")
        } else if name.isEmpty || name.utf8.contains(UInt8(ascii: "-")) {
            let advice = problems.advice(on: name, among: rules.keys.sorted())
            problems.add(path, message: "unknown key; additional keys cannot have dashes" + advice)
        } else if value.object != nil || value.elements != nil {
            problems.add(path, message: "expected a string, a number or a boolean; nested keys are not supported")
        }
    }

    private func has(_ name: String) -> Bool {
        path(of: name) != nil
    }

    private func path(of name: String) -> String? {
        places.first { $0.object[name] != nil }.map { "\($0.path).\(name)" }
    }

    private static let documentedRules: [String: Rule] = [
        "title": Rule(expected: "a string") { $0.text != nil },
        "body": text, "publisher-item-id": text, "issue-title": text, "issue-product-tag": text, "tab-id": text,
        "external-browser-url": Rule(
            expected: "an absolute https URL of at most \(WebAddress.bytesMaximum) bytes",
            isMet: { $0.text.flatMap { WebAddress($0) }?.scheme == .https }),
        "issue-guid": Rule(expected: "a UUID such as 2258b0e6-6748-46c2-8e67-0893c0542fbb") {
            $0.text.flatMap { TaskID($0) } != nil
        },
        "issue-page": Rule(expected: "an integer from \(pages.lowerBound) to \(pages.upperBound)") { value in
            guard case .integer(let page) = value else { return false }
            return pages.contains(page)
        },
    ]

    /// The documented rules and the keys with a dash in Apple's documentation of the alert.
    private static let appleAlertRules = documentedRules.merging([
        "title-loc-key": text, "title-loc-args": texts, "subtitle-loc-key": text, "subtitle-loc-args": texts,
        "loc-key": text, "loc-args": texts, "action-loc-key": text, "launch-image": text, "summary-arg": text,
        "summary-arg-count": Rule(expected: "an integer above 0") { value in
            guard case .integer(let count) = value else { return false }
            return count > 0
        },
    ]) { documented, _ in documented }

    private static let text = Rule(expected: "a non-empty string") { $0.text?.isEmpty == false }
    private static let texts = Rule(expected: "an array of strings") {
        $0.elements?.allSatisfy { $0.text != nil } ?? false
    }
}
