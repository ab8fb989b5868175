import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Testing

/// The entries of scheduled tasks in the index.
@Suite struct ScheduledTaskTests {
    @Test func anEntryNamesItsTask() throws {
        for isWithdrawn in [false, true] {
            let scheduled = ScheduledTask(TaskID(high: 1, low: .max), isWithdrawn: isWithdrawn)
            #expect(ScheduledTask(decoding: scheduled.encoded) == scheduled)
            #expect(scheduled.encoded.count == 17)
        }
        for bytes: [UInt8] in [
            [], [0xB0], [0xA1] + [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xB0, count: 18),
        ] {
            #expect(ScheduledTask(decoding: bytes) == nil)
        }
    }

    @Test func aWithdrawnTaskIsDueBeforeItsTime() throws {
        var task = PushTask(id: TaskID(high: 1, low: 2), app: try AppID("news"), created: Timestamp(milliseconds: 5))
        task.sendAt = Timestamp(milliseconds: 9)
        #expect(RetryEntry(waiting: task).due == task.sendAt)
        #expect(RetryEntry(withdrawn: task.withdrawn).due == task.created)
        #expect(RetryEntry(waiting: task) == RetryEntry(waiting: task.withdrawn))
    }
}
