package import Store
package import Topics

extension ReceiptBatch {
    /// What is remembered of its receipts.
    package var marks: [ReceiptMark] { receipts.map { ReceiptMark($0.kind, of: $0.device, on: $0.platform) } }
}
