package import Bus
import PushModel
import ServiceKit
package import Store

extension TaskArchive {
    /// Shows the publisher that the task failed. A replay is shown by its plan once it is planned.
    package func giveUp(taskOf letter: DeadLetter) async throws(StoreError) {
        let name = letter.key?.prefix { $0 != UInt8(ascii: "/") }
        let key = name.flatMap { OutsideText.string(Array($0)) }
        guard let task = key.flatMap({ Base64URL.decode($0) }).flatMap({ TaskID(bytes: $0) }) else { return }
        try await giveUp(task, reason: letter.detail)
    }
}
