package import ServiceKit
package import Store
package import Topics

extension RetryEntry {
    package init(_ job: ParkedJob, due: Timestamp) {
        self.init(due: due, order: job.encoded())
    }
}

extension RetryShard {
    /// The shard of a parked job. Jobs are of the bulk lane.
    package init(_ job: SegmentJob) {
        self.init(isFast: false, number: job.job % RetryShard.count)
    }
}
