import JSONKit
import ServiceKit

/// Why an event is dropped. pushd answered before it read an event, so its publishers expect success; they find the
/// reason in the response's header `Carillon-Dropped`.
struct EventDrop: Error, Equatable, CustomStringConvertible {
    enum Reason: String, CaseIterable {
        /// A field that pushd does not have.
        case unknownField = "unknown_field"
        /// A value that is no text, or out of range.
        case invalidValue = "invalid_value"
        case tooMany = "too_many"
        /// No title, no message and no data.
        case empty
        /// A text refers to a name that the event does not have.
        case template
        /// `unicast:` without the id of a subscriber.
        case subscriber
        /// A provider would refuse the payload.
        case payload
    }

    static let header = "Carillon-Dropped"
    static let headerBytesMaximum = 200

    let reason: Reason
    let text: String

    init(_ reason: Reason, because text: String) {
        self.reason = reason
        self.text = text
    }

    /// The first error of the rendered task.
    init(_ problems: [JSONProblems.Problem]) {
        self.init(.payload, because: problems.first.map { "\($0)" } ?? "")
    }

    var description: String { "\(reason.rawValue): \(text)" }

    /// Printable ASCII of bounded length: the text may quote the request.
    var headerValue: String {
        let printable = description.unicodeScalars.prefix(EventDrop.headerBytesMaximum).map { scalar in
            0x20...0x7E ~= scalar.value ? scalar : "?"
        }
        return String(String.UnicodeScalarView(printable))
    }
}

extension EventDrop {
    /// Nil for an error that is answered as such.
    init?(_ error: any Error) {
        switch error {
        case let drop as EventDrop: self = drop
        case TaskError.invalid(let problems): self.init(problems)
        case TaskError.tooLarge(let what, let maximum):
            self.init(.payload, because: "\(what) has more than \(maximum) bytes")
        default: return nil
        }
    }
}
