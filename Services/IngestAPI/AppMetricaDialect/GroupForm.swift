import JSONKit
import PushModel
import Store

/// The member `group` of a body. Errors are added to the problems of the fields.
struct GroupForm {
    static let rateDefault = TransferGroupBounds.rates.upperBound
    private static let nameRule = "1 to \(TransferGroupBounds.nameBytesMaximum) bytes without control characters"

    /// Nil if it is invalid.
    let name: String?
    /// Nil if it is absent or invalid.
    let rate: Int?

    init(_ group: JSONFields) {
        name = group.text("name", expected: "a string of \(GroupForm.nameRule)", isRequired: true) { text in
            TransferGroupBounds.isName(text) ? text : nil
        }
        rate = group.integer("send_rate", in: TransferGroupBounds.rates)
        // Clients send back what they have read.
        group.allow(["id", "app_id"])
        group.rejectUnknown()
    }

    /// The number that selects the app; nil if it is invalid.
    static func appID(_ group: JSONFields) -> Int? {
        group.integer("app_id", in: 1...Int.max, isRequired: true)
    }
}
