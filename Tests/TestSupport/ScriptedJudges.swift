package import PushModel
import ServiceKit
package import TaskKit
package import TaskModel

/// Judges as a test says, which may change at any time; without a word of the test a device is sent to.
package final class ScriptedJudges: DeviceJudges {
    private struct Judge: DeviceJudge {
        let state: Monitor<[DeviceIndex: DeviceJudgement]>

        func judgement(of record: ArraySlice<UInt8>, at index: DeviceIndex, now: Timestamp) -> DeviceJudgement {
            state.withLock { $0[index] ?? .send }
        }
    }

    private let state = Monitor<[DeviceIndex: DeviceJudgement]>([:])

    package init() {}

    package func set(_ judgement: DeviceJudgement, of devices: [DeviceIndex]) {
        state.change { state in
            for device in devices { state[device] = judgement }
        }
    }

    package func judge(of task: TaskID, rules: DeliveryRules) -> (any DeviceJudge)? { Judge(state: state) }
}
