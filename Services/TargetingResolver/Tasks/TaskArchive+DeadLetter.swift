import Bus
import PushModel
import ServiceKit
import Store

extension TaskArchive {
    /// Shows the publisher that the task failed. A replay is shown by its plan once it is planned.
    func giveUp(taskOf letter: DeadLetter) async throws(StoreError) {
        let key = letter.key.flatMap { OutsideText.string($0) }
        guard let task = key.flatMap({ Base64URL.decode($0) }).flatMap({ TaskID(bytes: $0) }) else { return }
        try await giveUp(task, reason: letter.detail)
    }
}
