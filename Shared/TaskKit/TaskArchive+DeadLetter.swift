package import Bus
import PushModel
package import Store

extension TaskArchive {
    /// Shows the publisher that the task failed. A replay is shown by its plan once it is planned.
    package func giveUp(taskOf letter: DeadLetter) async throws(StoreError) {
        guard let task = letter.key.flatMap({ TaskID(messageKey: $0) }) else { return }
        try await giveUp(task, reason: letter.detail)
    }
}
