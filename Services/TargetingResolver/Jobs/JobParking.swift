import PushModel
import ServiceKit
import Store
import TaskKit
import Topics

/// Parks the jobs of a task while nothing that they would resolve can be sent: when every provider of the last resolved
/// devices is in an outage. They wait in the retry index, and the scheduler releases them when the outage is over. A
/// job that also has devices of another provider is not parked. Jobs that lack data of their own wait there too, so
/// that they block no others.
struct JobParking: Sendable {
    /// Delay until a job that lacks data is retried.
    static let pause = Duration.seconds(30)
    /// The same for a part of a list whose task is younger than `youth`: parts are mostly a moment behind their task.
    static let firstPause = Duration.milliseconds(200)
    static let youth = Duration.seconds(10)
    /// Afterwards the delay is this part of the task's age, and at most `pause`.
    private static let ageDivisor = 10

    let view: OutageView
    let index: any RetryIndex
    let parked: Counter

    /// Parks a job that lacks data of its own.
    func park(_ job: SegmentJob, for pause: Duration = JobParking.pause, at now: Timestamp) async throws {
        try await put(ParkedJob(job, waitingFor: []), due: now + pause)
    }

    /// Delay until a part of a list is looked for again.
    static func pause(atAge age: Duration) -> Duration {
        age < youth ? firstPause : min(pause, age / ageDivisor)
    }

    /// Returns true if the job was parked and must not be sent.
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
