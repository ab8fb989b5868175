import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// Fields of Live Activities in the native API. Errors are added to the problems of the fields.
struct ActivityFields {
    static let ofState = ["content_state", "stale_date", "relevance", "alert"]
    static let bodyBytesMaximum = 64 << 10
    static let entriesMaximum = TargetList.atOnceMaximum
    private static let alertRule = "an object with title and body, each a string or an object with loc-key and loc-args"

    let fields: JSONFields

    func contentState(isRequired: Bool) -> JSONObject? {
        fields.value("content_state", expected: "an object", isRequired: isRequired) { $0.object }
    }

    func staleDate() -> Int64? { time("stale_date") }
    func dismissalDate() -> Int64? { time("dismissal_date") }

    func relevance() -> Double? {
        fields.number("relevance", in: ActivityState.relevances, expected: "a number")
    }

    /// As Apple has it, and checked, since a phone drops a push whose alert it cannot read.
    func alert(isRequired: Bool) -> JSONObject? {
        fields.value("alert", expected: ActivityFields.alertRule, isRequired: isRequired) { value in
            guard let alert = value.object, alert["title"] != nil || alert["body"] != nil else { return nil }
            let isRight = alert.members.allSatisfy { member in
                switch member.name {
                case "title", "body": member.value.text != nil || member.value["loc-key"]?.text != nil
                case "sound": member.value.text != nil
                default: false
                }
            }
            return isRight ? alert : nil
        }
    }

    /// An RFC 3339 time. Apple has no times before 1970.
    private func time(_ name: String) -> Int64? {
        fields.text(name, expected: "a time with a zone from 1970 on, such as 2026-12-24T18:00:00Z") { text in
            Timestamp(rfc3339: text).flatMap { $0.milliseconds < 0 ? nil : $0.milliseconds / 1_000 }
        }
    }
}
