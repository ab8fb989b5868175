import JSONKit
import PushModel
import ServiceKit
import Topics

/// One receipt as an app posts it.
struct ReceiptForm {
    let task: TaskID
    let device: DeviceID
    let proof: ReceiptProof
    let kind: ReceiptKind
    let action: String
    let time: Timestamp?

    /// Nil if a field is missing; all errors are added to the problems of the fields.
    init?(_ fields: JSONFields) {
        let task = fields.text("task", expected: "the task_id of the push", isRequired: true) { TaskID($0) }
        let device = fields.text("device", expected: "the id from the device's registration", isRequired: true) {
            DeviceID($0)
        }
        let proof = fields.text("proof", expected: "the task_proof of the push", isRequired: true) { ReceiptProof($0) }
        let names = ReceiptKind.allCases.map(\.name).joined(separator: ", ")
        let kind = fields.text("kind", expected: "one of \(names)", isRequired: true) { ReceiptKind(name: $0) }
        let action = fields.text(
            "action", expected: "1 to \(DeviceReceipt.actionBytesMaximum) letters, digits and . _ -",
            isRequired: kind == .action
        ) { DeviceReceipt.isAction($0) ? $0 : nil }
        if kind != .action, fields.has("action") {
            fields.reject("action", message: "allowed only with kind action; remove it")
        }
        time = fields.text("at", expected: "a time with a zone, such as 2026-12-24T18:00:00Z") {
            Timestamp(rfc3339: $0)
        }
        fields.rejectUnknown()
        guard let task, let device, let proof, let kind else { return nil }
        self.task = task
        self.device = device
        self.proof = proof
        self.kind = kind
        self.action = action ?? ""
    }
}
