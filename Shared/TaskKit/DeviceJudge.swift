package import PushModel
package import ServiceKit
package import TaskModel

/// What becomes of a device that is about to be sent on.
package enum DeviceJudgement: Hashable, Sendable {
    case send
    /// Not before this time. A time that has come is `send`.
    case wait(DeferralCause, until: Timestamp)
    /// Not at all: it ends as suppressed.
    case suppress(reason: String)
}

/// Judges the devices of one task: at their first mark, and again at every release of a deferral or a retry. Without
/// side effects, since an interrupted step is repeated and judges again.
package protocol DeviceJudge: Sendable {
    /// `record` is the device's packed record in the registry.
    func judgement(of record: ArraySlice<UInt8>, at index: DeviceIndex, now: Timestamp) -> DeviceJudgement
}

/// Provides the judges of tasks.
package protocol DeviceJudges: Sendable {
    /// Nil for a task whose devices may be sent to at any time.
    func judge(of task: TaskID, rules: DeliveryRules) -> (any DeviceJudge)?
}
