/// The names under which an app finds what it needs to report a receipt, beside `aps` or in its data.
enum ReceiptField {
    static let task = "task_id"
    static let proof = "task_proof"
}
