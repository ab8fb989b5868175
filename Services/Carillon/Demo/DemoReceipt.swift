import JSONKit
import ServiceKit

/// What the app on a device of Google's reports about a push. A push to Google names its device's token.
struct DemoReceipt: Sendable {
    let device: String
    let body: String

    /// Nil for a push of another task, or without a proof. `ids` are those of the devices by token.
    init?(_ push: JSON, task: String, devices ids: [String: String]) {
        guard let message = push["message"], let data = message["data"], data["task_id"]?.text == task,
            let proof = data["task_proof"]?.text, let device = message["token"]?.text.flatMap({ ids[$0] })
        else { return nil }
        self.device = device
        let receipt = JSONText.object { json in
            json.member("task", task)
            json.member("device", device)
            json.member("proof", proof)
            json.member("kind", "opened")
        }
        body = #"{"receipts":[\#(receipt)]}"#
    }
}
