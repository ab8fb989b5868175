import Bus
import PushModel
import ServiceKit
import Store

extension TaskArchive {
    /// Whoever posted the task is not to wait for ever. A replay that is planned is told of by its plan.
    func giveUp(taskOf letter: DeadLetter) async throws(StoreError) {
        let key = letter.key.flatMap { OutsideText.string($0) }
        guard let task = key.flatMap({ Base64URL.decode($0) }).flatMap({ TaskID(bytes: $0) }) else { return }
        try await giveUp(task, reason: letter.detail)
    }
}
