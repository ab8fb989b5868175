import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Puts aside the jobs of a task while nothing that they would resolve can be sent: where every provider that the last
/// devices are reached through is in an outage. They wait in the index of retries, which the scheduler lets go when the
/// outage is over. A job that also has devices of another provider is not put aside. Jobs that lack something of their own
/// wait there too, so that they keep no others.
struct JobParking: Sendable {
    /// When a job that lacks something is tried again.
    static let pause = Duration.seconds(30)

    let view: OutageView
    let index: any RetryIndex
    let parked: Counter

    /// For a job that lacks something of its own.
    func park(_ job: SegmentJob, at now: Timestamp) async throws {
        try await put(ParkedJob(job, waitingFor: []), due: now + JobParking.pause)
    }

    /// Whether the job was put aside, and is not to be sent.
    func park(_ job: SegmentJob, after providers: Set<PushProtocol>, at now: Timestamp) async throws -> Bool {
        guard !providers.isEmpty else { return false }
        let outages = await view.outages()
        guard !outages.isEmpty else { return false }
        let pauses = providers.compactMap { outages[ProviderRoute(app: job.app, provider: $0)] }
        guard pauses.count == providers.count, let left = pauses.min() else { return false }
        try await put(ParkedJob(job, waitingFor: providers), due: now + max(left, .zero))
        return true
    }

    private func put(_ parkedJob: ParkedJob, due: Timestamp) async throws {
        try await index.add([RetryEntry(parkedJob, due: due)], to: RetryShard(parkedJob.job))
        parked.increment()
    }
}
