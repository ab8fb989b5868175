import PushModel
import Topics

/// The jobs of a bulk task: its segments, numbered from zero, then the parts of its list.
enum JobWindow {
    /// Returns the jobs that are sent first. Segments and parts form up to `window` chains each, with one job of each
    /// chain on the bus at a time.
    static func heads(
        of task: TaskID, app: AppID, segments: [SegmentNumber], parts: Int, window: Int
    ) -> [SegmentJob] {
        let chains = (0..<min(window, segments.count)).map { first in
            let chain = stride(from: first, to: segments.count, by: window).map { segments[$0] }
            return SegmentJob(
                task: task, app: app, lane: .bulk, job: first, work: .segments(chain, stride: window))
        }
        let lists = (0..<min(window, parts)).map { first in
            let chain = SegmentJob.PartChain(stride: window, count: (parts - 1 - first) / window)
            return SegmentJob(
                task: task, app: app, lane: .bulk, job: segments.count + first, work: .part(first, chain: chain))
        }
        return chains + lists
    }
}
