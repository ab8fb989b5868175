package import Bus
package import PushModel
package import ServiceKit
package import Topics

extension ResultBatch {
    /// Returns as few messages as hold all results.
    package static func messages(
        _ results: [DeviceResult], of task: TaskID, app: AppID, at now: Timestamp, trace: TraceContext? = nil
    ) -> [OutgoingMessage] {
        batches(results, of: task, app: app, at: now).map { Topics.results.message($0, key: $0.key, trace: trace) }
    }
}
