import JSONKit
import ServiceKit

/// The data that a push brings to its app as JSON, with the task's id and, for each device, its proof.
struct MessageData: Sendable {
    /// Where platforms without a field for it get the message's address.
    static let addressName = "url"

    var members = JSONObject()
    /// True if each device gets its own proof, provided that there is room for it.
    var provesReceipt = false

    var isEmpty: Bool { members.members.isEmpty }

    var text: String { JSON.object(members).compactText }

    func write(to json: inout JSONText, hasProof: Bool) {
        for (name, value) in members.members { json.member(name, json: value.compactBytes) }
        if hasProof { json.gap(ReceiptField.proof, between: "\"", and: "\"") }
    }

    /// The whole object: one piece, or two around the proof.
    func parts(hasProof: Bool) -> [[UInt8]] {
        JSONText.parts { write(to: &$0, hasProof: hasProof) }
    }
}
