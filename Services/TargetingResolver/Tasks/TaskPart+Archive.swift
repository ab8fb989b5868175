import PushModel
import Store
import TaskModel
import Topics

extension TaskPart {
    /// Decodes the archived form: the bytes in which the part came.
    static func entries(decoding bytes: [UInt8], of task: TaskID) throws -> [TargetEntry] {
        guard case .part(let part)? = try? TaskMessage(decoding: bytes), part.task == task else {
            throw StoreError(.corrupt, message: "a part of the list of task \(task) in the archive cannot be decoded")
        }
        return part.entries
    }
}
