import Bus
import PushModel
import ServiceKit
import Topics

extension ResultBatch {
    /// As few messages as hold them all.
    static func messages(
        _ results: [DeviceResult], of chunk: DispatchChunk, at now: Timestamp, trace: TraceContext?
    ) -> [OutgoingMessage] {
        stride(from: 0, to: results.count, by: resultsMaximum).map { start in
            let part = Array(results[start..<min(start + resultsMaximum, results.count)])
            let batch = ResultBatch(task: chunk.task, app: chunk.app, time: now, results: part)
            let segment = part[0].device.index.segment
            return Topics.results.message(
                OpaqueMessage(batch.encoded()), key: Array("\(chunk.task):\(segment)".utf8), trace: trace)
        }
    }
}
