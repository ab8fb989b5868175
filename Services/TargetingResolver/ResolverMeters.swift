import ServiceKit
import Topics

struct ResolverMeters: Sendable {
    let jobsResolved: Counter
    let jobsParked: Counter
    let devicesSuppressed: Counter
    let devicesUnledgered: Counter
    let partsLost: Counter
    private let metrics: Metrics

    init(_ metrics: Metrics) {
        self.metrics = metrics
        jobsResolved = metrics.counter(.resolverJobsResolved)
        jobsParked = metrics.counter(.resolverJobsParked)
        devicesSuppressed = metrics.counter(.resolverDevicesSuppressed)
        devicesUnledgered = metrics.counter(.resolverDevicesUnledgered)
        partsLost = metrics.counter(.resolverPartsLost)
    }

    func tasksPlanned(_ lane: Lane) -> Counter {
        metrics.counter(.resolverTasksPlanned, labels: ["lane": lane.rawValue])
    }

    func devicesTargeted(_ lane: Lane) -> Counter {
        metrics.counter(.resolverDevicesTargeted, labels: ["lane": lane.rawValue])
    }

    func duration(_ lane: Lane) -> Histogram {
        metrics.histogram(.resolverDuration, labels: ["lane": lane.rawValue])
    }
}
