import Bus
import PushModel
import ServiceKit
import Topics

extension ResultBatch {
    /// As few messages as hold them all.
    static func messages(
        _ results: [DeviceResult], of chunk: DispatchChunk, at now: Timestamp, trace: TraceContext?
    ) -> [OutgoingMessage] {
        batches(results, of: chunk.task, app: chunk.app, at: now).map { batch in
            Topics.results.message(batch, key: batch.key, trace: trace)
        }
    }
}
